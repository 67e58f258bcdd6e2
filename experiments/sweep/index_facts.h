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
    std::vector<PointState> states;  ///< by point, as the facts
    std::vector<PointFacts> points;
    CounterNames names;
    std::map<std::string, std::string> units;  ///< of the counters of whole runs
};

/// Takes facts from the folder's index for result files that have not changed since it was written, and reads the other
/// files. InputError if one lacks a metric.
IndexFacts collect_facts(const Study&, std::span<const SweepPoint>, const SweepFolder&);

}  // namespace lookahead
