#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/sweep/plan.h"
#include "experiments/sweep/point_facts.h"
#include "experiments/sweep/sweep_folder.h"

namespace lookahead {

/// Everything that the tables of a sweep are made of.
struct IndexFacts {
    std::vector<PointState> states;  ///< by point, as the facts
    std::vector<PointFacts> points;
    CounterNames names;
    std::map<std::string, std::string> units;  ///< of the counters of whole runs
};

/// Where a point's result file has not changed since the folder's index was written the index tells the facts; the other
/// files are read. InputError if one lacks what a metric names.
IndexFacts collect_facts(const Study&, std::span<const SweepPoint>, const SweepFolder&);

}  // namespace lookahead
