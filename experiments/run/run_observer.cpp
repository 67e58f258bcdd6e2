#include "experiments/run/run_observer.h"

#include <algorithm>

#include "components/sm/counters.h"

namespace lookahead {

namespace {

/// The counters of which the file has a time series.
std::vector<std::string> series_counters() {
    std::vector<std::string> names{"sm.cycles",   "sm.warp_instructions", "dram.data_bus_cycles", "dram.reads",
                                   "dram.writes", "l2_slice.reads",       "l2_slice.read_hits"};
    for_each_statistic<gpu::SchedulerCounters>([&](const StatisticDescription& what) {
        names.push_back(std::string(kStallSeriesKind) + "." + std::string(what.name));
    });
    return names;
}

}  // namespace

RunObserver::RunObserver(const ClockDomain& clock, Limits limits, Progress& progress)
    : clock_(clock), limits_(limits), progress_(progress), series_(series_counters()) {}

void RunObserver::on_epoch(const EpochReport& report, std::span<LogicalProcess* const> local) {
    series_.begin_epoch(cycle(report));
    for (const LogicalProcess* process : local) {
        process->visit_statistics(series_);
    }
    if (dispatcher_ != nullptr && progress_.due()) {
        print_progress(report);
    }
}

bool RunObserver::stop(const EpochReport& report) {
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
    line.kernel_fraction = dispatcher_->completed_fraction();
    line.limit_fraction = limit_fraction(report);
    line.time = report.time;
    line.warp_instructions = report.progress;
    progress_.print(line);
}

}  // namespace lookahead
