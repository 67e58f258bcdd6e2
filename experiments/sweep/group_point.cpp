#include "experiments/sweep/group_point.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "core/transport/agreement/agreement.h"
#include "experiments/sweep/crash_record.h"
#include "experiments/sweep/point_limits.h"

namespace lookahead {

namespace {

constexpr double kGraceSeconds = 10;

/// Records and tells how a point ended the whole job.
void tell_end_of_job(const SweepFolder& folder, const SweepPoint& point, int code, const std::string& message,
                     double seconds) {
    static_cast<void>(catch_error([&] {
        folder.record_failure(point, {PointStatus::failed, code, message, seconds});
    }));
    std::fprintf(stderr, "lookahead: point %s: %s; the same command continues\n", point.key.c_str(), message.c_str());
}

/// Ends the process if a point reaches no epoch until long after its time, which only a fault of the program causes.
class Watchdog {
  public:
    Watchdog(double timeout_s, const SweepFolder& folder, const SweepPoint& point) {
        if (timeout_s > 0) {
            thread_ = std::jthread([this, timeout_s, &folder, &point] {
                std::unique_lock lock(mutex_);
                const auto patience = std::chrono::duration<double>(timeout_s + kGraceSeconds);
                if (!over_.wait_for(lock, patience, [this] { return is_over_; })) { end_job(timeout_s, folder, point); }
            });
        }
    }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    ~Watchdog() {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
        over_.notify_all();
    }

  private:
    [[noreturn]] static void end_job(double timeout_s, const SweepFolder& folder, const SweepPoint& point) {
        tell_end_of_job(folder, point, kOverrunCode,
                        fmt::format("{} and reached no epoch, which ended the whole job", time_overrun(timeout_s)),
                        timeout_s + kGraceSeconds);
        std::_Exit(kOverrunCode);
    }

    std::mutex mutex_;
    std::condition_variable over_;
    bool is_over_ = false;
    std::jthread thread_;  // last, so that it ends before the members that it uses
};

class Overrun : public Error {
  public:
    explicit Overrun(const std::string& sentence) : Error(static_cast<ExitCode>(kOverrunCode), sentence) {}
};

void check_limits(const PointLimits& limits, Clock::time_point begin) {
    if (limits.timeout_s > 0 && seconds_since(begin) > limits.timeout_s) {
        throw Overrun(time_overrun(limits.timeout_s));
    }
    if (limits.memory_bytes != 0 && resident_bytes(::getpid()) > limits.memory_bytes) {
        throw Overrun(memory_overrun(limits.memory_bytes));
    }
}

/// Gathers every rank's exit code. Ends the job if a rank does not come, because it may wait for ever.
std::vector<std::uint64_t> codes_of_all(Transport& group, int mine, const std::string& message,
                                        const SweepFolder& folder, const SweepPoint& point, double seconds) {
    constexpr auto kPatience = std::chrono::seconds(5);
    const auto code = static_cast<std::uint64_t>(mine);
    std::vector<std::uint64_t> codes(static_cast<std::size_t>(group.size()));
    if (!group.try_all_gather({&code, 1}, codes, mine == 0 ? Transport::kForever : kPatience)) {
        tell_end_of_job(folder, point, mine,
                        fmt::format("{}; other ranks did not respond, which ended the whole job", message), seconds);
        group.abort(mine);
    }
    return codes;
}

}  // namespace

PointEnd run_on_group(const std::function<RunRequest()>& request, const PointLimits& limits, const SweepFolder& folder,
                      const SweepPoint& point, Transport& group) {
    const auto begin = Clock::now();
    PointEnd end;
    {
        const CrashRecord crash(folder.failure_file(point), group.rank());
        const Watchdog watchdog(limits.timeout_s, folder, point);
        const RankError error = catch_error([&] {
            RunRequest wanted = on_every_rank(group, request);
            wanted.is_one_of_many = true;
            wanted.at_epoch = [&] { check_limits(limits, begin); };
            const RunOutcome outcome = run(wanted, group);
            end.exit_code = static_cast<int>(outcome.code);
            end.message = outcome.message;
        });
        if (error.code != ExitCode::done) {
            end.exit_code = static_cast<int>(error.code);
            end.message = error.sentence;
        }
        const auto codes = codes_of_all(group, end.exit_code, end.message, folder, point, seconds_since(begin));
        const auto first = std::ranges::find_if(codes, [](std::uint64_t code) { return code != 0; });
        if (first != codes.end()) {
            end.exit_code = static_cast<int>(*first);
            group.broadcast(end.message, static_cast<int>(first - codes.begin()));
        }
    }
    ::malloc_trim(0);  // returns a large point's memory, for the next point and other processes
    end.wall_s = seconds_since(begin);
    return end;
}

}  // namespace lookahead
