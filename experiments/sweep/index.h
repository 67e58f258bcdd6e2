#pragma once

#include <span>

#include "experiments/sweep/plan.h"
#include "experiments/sweep/sweep_folder.h"

namespace lookahead {

/// Writes the sweep's index file: a row for each point, with its axes, status, and metrics out of the result files, which are
/// NaN for points that are not complete; counters of points and of their kernels; and what each [[best]] of the study chose.
/// Only result files that are new or have changed are read. With `as_csv` also points.csv and counters.csv. Each file appears
/// whole. InputError if a result file lacks what a metric names.
void write_index(const Study&, std::span<const SweepPoint>, const SweepFolder&, bool as_csv = false);

}  // namespace lookahead
