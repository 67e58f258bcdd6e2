#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "experiments/sweep/plan.h"

namespace lookahead {

/// A plan's points as rows of texts.
nlohmann::json points_to_json(std::span<const SweepPoint>);
/// The same points; nlohmann::json::exception for what is none of its making.
std::vector<SweepPoint> points_from_json(const nlohmann::json&);

}  // namespace lookahead
