#include "core/sync/process_profile.h"

#include <time.h>
#include <x86intrin.h>

#include <algorithm>
#include <limits>

namespace lookahead {

namespace {

constexpr double kNanosecond = 1e-9;

/// The thread's CPU time in nanoseconds.
std::uint64_t thread_time() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

/// What asking for the thread's time takes of it: a call of the system, which is as much as a short advance.
std::uint64_t cost_of_thread_time() {
    constexpr int kTries = 1000;
    std::vector<std::uint64_t> costs;
    for (int i = 0; i < kTries; ++i) {
        const std::uint64_t begin = thread_time();
        costs.push_back(thread_time() - begin);
    }
    const auto median = costs.begin() + kTries / 2;
    std::ranges::nth_element(costs, median);
    return *median;
}

std::vector<LpId> senders_of_channels(const Model& model) {
    const std::vector<std::uint32_t> first = model.first_channel_numbers();
    std::vector<LpId> senders(first.back());
    for (LpId lp = 0; lp + 1 < first.size(); ++lp) {
        std::fill(senders.begin() + first[lp], senders.begin() + first[lp + 1], lp);
    }
    return senders;
}

}  // namespace

ProcessProfile::ProcessProfile(const Model& model, std::vector<LpId> ids, bool log_windows)
    : ids_(std::move(ids)),
      logs_(log_windows),
      ticks_of_asking_(log_windows ? cost_of_thread_time() : 0),
      ticks_(ids_.size(), 0),
      advances_(ids_.size(), 0),
      first_tick_(now()),
      first_time_(std::chrono::steady_clock::now()) {
    if (logs_) {
        sender_of_channel_ = senders_of_channels(model);
        messages_.assign(model.processes().size() * ids_.size(), 0);
    }
}

std::uint64_t ProcessProfile::now() const {
    return logs_ ? thread_time() : __rdtsc();
}

/// The processor's counter runs at a constant rate that it does not tell: the clock of the system does.
double ProcessProfile::seconds_per_tick() const {
    if (logs_) {
        return kNanosecond;
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - first_time_;
    return elapsed.count() / static_cast<double>(std::max<std::uint64_t>(now() - first_tick_, 1));
}

void ProcessProfile::begin_window(Time start) {
    starts_.push_back(start);
    ticks_before_ = ticks_;
}

void ProcessProfile::end_window() {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = 0; i < ticks_.size(); ++i) {
        nanoseconds_.push_back(static_cast<std::uint32_t>(std::min(ticks_[i] - ticks_before_[i], kMost)));
    }
}

std::vector<ProcessLoad> ProcessProfile::loads() const {
    const double scale = seconds_per_tick();
    std::vector<ProcessLoad> loads;
    for (std::size_t i = 0; i < ticks_.size(); ++i) {
        loads.push_back({static_cast<double>(ticks_[i]) * scale, advances_[i]});
    }
    return loads;
}

WindowLog ProcessProfile::log() const {
    return {starts_, nanoseconds_, messages_};
}

}  // namespace lookahead
