#pragma once

#include <vector>

#include "experiments/results/run_record.h"

namespace lookahead {

/// Names of the SMs' counters for the activity.
inline constexpr const char* kSmKind = "sm";
inline constexpr const char* kWarpInstructions = "warp_instructions";

/// The activity of the whole GPU over time.
struct ActivitySeries {
    std::vector<double> cycles;  ///< of the core clock, at the ends of the intervals
    std::vector<double> ipc;     ///< warp instructions of all SMs for each cycle of the interval
};

/// The intervals of the run's series in which a kernel may have run: from the first kernel's begin to the last one's
/// end, because copies before and after would fill most of a picture. Empty for a run without kernels, without such a
/// series or without the key sm.frequency, which converts kernels' times to cycles.
ActivitySeries activity_of(const RunRecord&);

}  // namespace lookahead
