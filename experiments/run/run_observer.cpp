#include "experiments/run/run_observer.h"

#include <algorithm>

#include <fmt/format.h>

#include "components/sm/counters.h"

namespace lookahead {

namespace {

/// The counters with a time series in the file.
std::vector<std::string> series_counters() {
    std::vector<std::string> names{"sm.cycles",   "sm.warp_instructions", "dram.data_bus_cycles", "dram.reads",
                                   "dram.writes", "l2_slice.reads",       "l2_slice.read_hits"};
    for_each_statistic<gpu::SchedulerCounters>(
        [&](const StatisticDescription& what) { names.push_back(fmt::format("{}.{}", kStallSeriesKind, what.name)); });
    return names;
}

}  // namespace

RunObserver::RunObserver(const ClockDomain& clock, Limits limits, Progress& progress, std::uint64_t checkpoint_every,
                         WriteCheckpoint write)
    : clock_(clock),
      limits_(limits),
      progress_(progress),
      series_(series_counters()),
      checkpoint_every_(checkpoint_every),
      write_(std::move(write)) {}

void RunObserver::continue_from(std::uint64_t cycle, std::string_view series) {
    series_.continue_from(series);
    checkpoints_due_ = checkpoint_every_ != 0 ? cycle / checkpoint_every_ : 0;
}

void RunObserver::on_epoch(const EpochReport& report, std::span<LogicalProcess* const> local) {
    if (std::exchange(shown_, true)) {
        series_.add_epoch(cycle(report));
    } else {
        series_.begin_epoch(cycle(report));
        for (const LogicalProcess* process : local) { process->visit_statistics(series_); }
    }
    if (dispatcher_ != nullptr && progress_.due()) { print_progress(report); }
    if (at_epoch_) {
        at_epoch_();  // last: even if it throws on one rank only, all ranks' series have the same epochs
    }
}

bool RunObserver::wants_checkpoint(const EpochReport& report) {
    at_limit_ = at_limit(report);
    const std::uint64_t due = checkpoint_every_ != 0 ? cycle(report) / checkpoint_every_ : 0;
    return std::exchange(checkpoints_due_, due) < due || (report.asked_to_stop && !at_limit_);
}

void RunObserver::write_checkpoint(const EpochReport& report, const RunningProcesses& local) {
    if (write_(report.time, cycle(report), local)) {
        last_checkpoint_ = report.time;
    } else if (report.asked_to_stop) {
        StopSignal::forget();
    }
}

bool RunObserver::at_limit(const EpochReport& report) const {
    return (limits_.instructions != 0 && report.progress >= limits_.instructions) ||
           (limits_.cycles != 0 && cycle(report) >= limits_.cycles);
}

double RunObserver::limit_fraction(const EpochReport& report) const {
    double nearest = -1;
    if (limits_.instructions != 0) {
        nearest = static_cast<double>(report.progress) / static_cast<double>(limits_.instructions);
    }
    if (limits_.cycles != 0) {
        nearest = std::max(nearest, static_cast<double>(cycle(report)) / static_cast<double>(limits_.cycles));
    }
    return nearest;
}

void RunObserver::print_progress(const EpochReport& report) {
    ProgressReport line;
    line.kernel = dispatcher_->running_kernel();
    line.launch = dispatcher_->running_launch() + 1;
    line.launches = launches_;
    line.kernel_fraction = dispatcher_->completed_fraction();
    line.limit_fraction = limit_fraction(report);
    line.time = report.time;
    line.warp_instructions = report.progress;
    progress_.print(line);
}

}  // namespace lookahead
