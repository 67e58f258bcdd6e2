#pragma once

#include <span>
#include <vector>

#include "core/json/json.h"
#include "experiments/sweep/plan.h"

namespace lookahead {

/// A plan's points as rows of texts.
Json points_to_json(std::span<const SweepPoint>);
/// The points from such rows; JsonError for other values.
std::vector<SweepPoint> points_from_json(const Json&);

}  // namespace lookahead
