#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "components/device/cta_dispatcher.h"
#include "core/sync/simulation.h"
#include "core/time/clock_domain.h"
#include "experiments/results/series_collector.h"
#include "experiments/run/progress.h"
#include "experiments/run/stop_signal.h"

namespace lookahead {

/// The kind of the counters for /stalls.
inline constexpr std::string_view kStallSeriesKind = "sm_scheduler";

/// The actions of a run at every epoch: takes the series, prints progress on the rank with the dispatcher, takes
/// checkpoints, and stops at the limits or on request. Epochs are fixed points of simulated time, so only the time of a
/// request depends on ranks or protocol.
class RunObserver : public EpochObserver {
  public:
    struct Limits {
        std::uint64_t instructions = 0;  ///< 0: none
        std::uint64_t cycles = 0;        ///< 0: none
    };

    /// Called on every rank, with the epoch's time and core cycle and the processes of this rank. Returns whether the
    /// checkpoint was written, the same on every rank.
    using WriteCheckpoint = std::function<bool(Time time, std::uint64_t cycle, const RunningProcesses& local)>;

    /// `checkpoint_every`: in core cycles; 0: only when asked to stop.
    RunObserver(const ClockDomain& clock, Limits limits, Progress& progress, std::uint64_t checkpoint_every,
                WriteCheckpoint write);

    /// Call it before the run: continues from this cycle, with the series up to there.
    void continue_from(std::uint64_t cycle, std::string_view series);

    /// Sets an action for the end of every epoch; its exceptions fail the run.
    void at_epoch(std::function<void()> action) { at_epoch_ = std::move(action); }

    /// Sets the dispatcher, if it is on this rank; null otherwise. `launches`: of the whole run; 0 if unknown.
    void watch(const gpu::CtaDispatcher* dispatcher, std::uint64_t launches) {
        dispatcher_ = dispatcher;
        launches_ = launches;
    }

    bool asked_to_stop() override { return StopSignal::came(); }
    void on_epoch(const EpochReport& report, std::span<LogicalProcess* const> local) override;
    /// A run that is asked to stop but cannot leave a checkpoint goes on, because its work would be lost.
    bool stop(const EpochReport& report) override {
        return at_limit(report) || (report.asked_to_stop && last_checkpoint_ == report.time);
    }
    bool wants_checkpoint(const EpochReport& report) override;
    void write_checkpoint(const EpochReport& report, const RunningProcesses& local) override;

    /// Whether the run stopped because it was asked to: its last epoch has a checkpoint, and no limit was reached.
    bool was_asked_to_stop(Time end) const { return end == last_checkpoint_ && !at_limit_; }

    SeriesCollector& series() { return series_; }

  private:
    std::uint64_t cycle(const EpochReport& report) const {
        return static_cast<std::uint64_t>(clock_.cycle_at_or_after(report.time));
    }
    bool at_limit(const EpochReport& report) const;
    /// The used fraction of the nearest limit; -1 without one.
    double limit_fraction(const EpochReport& report) const;
    void print_progress(const EpochReport& report);

    ClockDomain clock_;
    Limits limits_;
    Progress& progress_;
    const gpu::CtaDispatcher* dispatcher_ = nullptr;
    std::uint64_t launches_ = 0;
    SeriesCollector series_;
    bool shown_ = false;  ///< whether the series know this rank's processes
    std::uint64_t checkpoint_every_;
    WriteCheckpoint write_;
    std::function<void()> at_epoch_;
    std::uint64_t checkpoints_due_ = 0;  ///< up to the last epoch
    Time last_checkpoint_ = -1;
    bool at_limit_ = false;  ///< at the last epoch
};

}  // namespace lookahead
