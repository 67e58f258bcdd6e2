#pragma once

#include <span>

#include "experiments/sweep/plan.h"
#include "experiments/sweep/sweep_folder.h"

namespace lookahead {

/// Writes the sweep's index file: a row for each point, with its axes, status, and metrics out of the result files.
/// Metrics of points that are not complete are NaN. A second table has what each [[best]] of the study chose. InputError if a result file lacks what a metric names.
void write_index(const Study&, std::span<const SweepPoint>, const SweepFolder&);

}  // namespace lookahead
