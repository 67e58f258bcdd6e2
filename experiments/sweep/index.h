#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/sweep/plan.h"
#include "experiments/sweep/point_facts.h"
#include "experiments/sweep/sweep_folder.h"

namespace lookahead {

/// The data of all tables of a sweep.
struct IndexFacts {
    std::vector<PointState> states;  ///< by point, as `points`
    std::vector<PointFacts> points;
    CounterNames names;
    std::map<std::string, std::string> units;  ///< of the counters of whole runs
};

/// Takes facts from the folder's index for result files that have not changed since it was written, and reads the other
/// files. InputError if one lacks a metric.
IndexFacts collect_facts(const Study&, std::span<const SweepPoint>, const SweepFolder&);

/// Writes the sweep's index file: a row for each point, with its axes, status, and metrics from the result files, which
/// are NaN for incomplete points; counters of points and of their kernels; and the choices of each [[best]] of the
/// study. Reads only new or changed result files. With `as_csv` also writes points.csv and counters.csv. Each file
/// appears whole. InputError if a result file lacks a metric.
void write_index(const Study&, std::span<const SweepPoint>, const SweepFolder&, bool as_csv = false);

/// A row for each point, with the columns of the index's /points.
std::string points_as_csv(const Study&, std::span<const SweepPoint>, const IndexFacts&);

/// A row for each counter of each point (kernel is empty) and of each of its kernels (min and max are empty): point,
/// workload, kernel, kernel_name, kind, counter, unit, sum, min, max.
std::string counters_as_csv(std::span<const SweepPoint>, const IndexFacts&);

}  // namespace lookahead
