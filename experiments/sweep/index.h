#pragma once

#include <span>

#include "experiments/sweep/plan.h"
#include "experiments/sweep/sweep_folder.h"

namespace lookahead {

/// Writes the sweep's index file: a row for each point, with its axes, status, and metrics from the result files, which
/// are NaN for incomplete points; counters of points and of their kernels; and the choices of each [[best]] of the
/// study. Reads only new or changed result files. With `as_csv` also writes points.csv and counters.csv. Each file
/// appears whole. InputError if a result file lacks a metric.
void write_index(const Study&, std::span<const SweepPoint>, const SweepFolder&, bool as_csv = false);

}  // namespace lookahead
