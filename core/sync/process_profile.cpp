#include "core/sync/process_profile.h"

#include <x86intrin.h>

#include <algorithm>
#include <limits>

#include "core/sync/host_clock.h"

namespace lookahead {

namespace {

constexpr double kNanosecond = 1e-9;

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
      ticks_(ids_.size(), 0),
      advances_(ids_.size(), 0),
      first_tick_(now()),
      first_time_(std::chrono::steady_clock::now()) {
    if (logs_) {
        sender_of_channel_ = senders_of_channels(model);
        log_.messages.assign(model.processes().size() * ids_.size(), 0);
    }
}

std::uint64_t ProcessProfile::now() {
    return __rdtsc();
}

/// Measured with the system's clock, because the processor does not report the counter's rate.
double ProcessProfile::seconds_per_tick() const {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - first_time_;
    return elapsed.count() / static_cast<double>(std::max<std::uint64_t>(now() - first_tick_, 1));
}

void ProcessProfile::begin_window(Time start) {
    log_.start.push_back(start);
    ticks_before_ = ticks_;
    // Read in this order, and at the end in the reverse order, so that another thread's turn between two readings does
    // not count.
    window_cpu_ = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
    window_tick_ = now();
}

void ProcessProfile::end_window() {
    const std::uint64_t end_tick = now();
    const std::uint64_t computed = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) - window_cpu_;
    const double scale = seconds_per_tick() / kNanosecond;
    const auto nanoseconds = [scale](std::uint64_t ticks) {
        constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
        return static_cast<std::uint32_t>(std::min(scale * static_cast<double>(ticks), kMost));
    };
    const std::size_t first = log_.nanoseconds.size();
    for (std::size_t i = 0; i < ticks_.size(); ++i) {
        log_.nanoseconds.push_back(nanoseconds(ticks_[i] - ticks_before_[i]));
    }
    // Another thread's turn falls into one LP's advance, probably the longest of the window. After several turns the
    // longest may be shorter than the time without the core; then the next longest is shortened too.
    const std::uint64_t elapsed = nanoseconds(end_tick - window_tick_);
    std::uint64_t without_core = elapsed > computed ? elapsed - computed : 0;
    while (without_core > 0) {
        const auto longest =
            std::max_element(log_.nanoseconds.begin() + static_cast<std::ptrdiff_t>(first), log_.nanoseconds.end());
        if (longest == log_.nanoseconds.end() || *longest == 0) { break; }
        const std::uint32_t cut = static_cast<std::uint32_t>(std::min<std::uint64_t>(without_core, *longest));
        *longest -= cut;
        without_core -= cut;
    }
}

std::vector<ProcessLoad> ProcessProfile::loads() const {
    const double scale = seconds_per_tick();
    std::vector<ProcessLoad> loads;
    for (std::size_t i = 0; i < ticks_.size(); ++i) {
        loads.push_back({logs_ ? 0 : static_cast<double>(ticks_[i]) * scale, advances_[i]});
    }
    for (std::size_t i = 0; i < log_.nanoseconds.size(); ++i) {
        loads[i % loads.size()].seconds += log_.nanoseconds[i] * kNanosecond;
    }
    return loads;
}

}  // namespace lookahead
