#include "experiments/sweep/plan_json.h"

#include <nlohmann/json.hpp>

namespace lookahead {

nlohmann::json points_to_json(std::span<const SweepPoint> points) {
    nlohmann::json all = nlohmann::json::array();
    for (const SweepPoint& point : points) {
        all.push_back({point.key, point.workload, point.labels, point.arguments});
    }
    return all;
}

std::vector<SweepPoint> points_from_json(const nlohmann::json& all) {
    std::vector<SweepPoint> points;
    points.reserve(all.size());
    for (const auto& row : all) {
        points.push_back({row.at(1).get<std::string>(), row.at(2).get<std::vector<std::string>>(),
                          row.at(3).get<std::vector<std::string>>(), row.at(0).get<std::string>()});
    }
    return points;
}

}  // namespace lookahead
