#pragma once

#include <cstdint>
#include <string_view>

#include "components/device/cta_dispatcher.h"
#include "core/sync/simulation.h"
#include "core/time/clock_domain.h"
#include "experiments/results/series_collector.h"
#include "experiments/run/progress.h"

namespace lookahead {

/// Kind of the counters that go to /stalls.
inline constexpr std::string_view kStallSeriesKind = "sm_scheduler";

/// What a run does at every epoch: takes the series, prints progress on the rank that has the dispatcher, and stops at
/// the limits. Epochs are fixed points of simulated time, so none of it hangs on ranks or protocol.
class RunObserver : public EpochObserver {
  public:
    struct Limits {
        std::uint64_t instructions = 0;  ///< 0: none
        std::uint64_t cycles = 0;        ///< 0: none
    };

    RunObserver(const ClockDomain& clock, Limits limits, Progress& progress);

    /// Of this rank; null if another rank has it.
    void watch(const gpu::CtaDispatcher* dispatcher) { dispatcher_ = dispatcher; }

    void on_epoch(const EpochReport& report, std::span<LogicalProcess* const> local) override;
    bool stop(const EpochReport& report) override;

    SeriesCollector& series() { return series_; }

  private:
    std::uint64_t cycle(const EpochReport& report) const {
        return static_cast<std::uint64_t>(clock_.cycle_at_or_after(report.time));
    }
    /// Of the limit that is nearest; -1 without one.
    double limit_fraction(const EpochReport& report) const;
    void print_progress(const EpochReport& report);

    ClockDomain clock_;
    Limits limits_;
    Progress& progress_;
    const gpu::CtaDispatcher* dispatcher_ = nullptr;
    SeriesCollector series_;
};

}  // namespace lookahead
