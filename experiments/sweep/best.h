#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiments/sweep/plan.h"
#include "experiments/sweep/study.h"

namespace lookahead {

/// The choice of a [[best]] of a study for one workload, and its point.
struct BestRow {
    std::string name;
    std::string workload;
    std::string axis;
    std::string value;           ///< chosen; empty if no candidate is complete
    std::int64_t point = -1;     ///< number of the point with that value; -1 without one
    std::uint64_t complete = 0;  ///< candidates that had a figure
    std::uint64_t candidates = 0;
};

/// The rows of `best`: for each workload and each combination of the axes that it does not pin (Best::among) it chooses
/// a value of its axis among the candidates with a figure; of equal ones the first in the axis's order. The row of
/// every combination of the pinned axes names the point with that value. `figures`: the metric of each point, NaN if
/// there is none.
std::vector<BestRow> best_rows(const Study& study, const Best& best, std::span<const SweepPoint> points,
                               std::span<const double> figures);

}  // namespace lookahead
