#pragma once

#include <vector>

#include "experiments/results/run_record.h"

namespace lookahead {

/// Names of the counters of SMs that the activity is made of.
inline constexpr const char* kSmKind = "sm";
inline constexpr const char* kWarpInstructions = "warp_instructions";

/// What the whole GPU did over time.
struct ActivitySeries {
    std::vector<double> cycles;  ///< of the core clock, at the ends of the intervals
    std::vector<double> ipc;     ///< warp instructions of all SMs for each cycle of the interval
};

/// The intervals of the run's series in which a kernel may have run: from the first kernel's begin to the last one's end,
/// since copies before and after them would be most of a picture. Nothing for a run without kernels, without such a series
/// or without the key sm.frequency, by which kernels' times are cycles.
ActivitySeries activity_of(const RunRecord&);

}  // namespace lookahead
