#include "experiments/sweep/plan.h"

#include <fmt/format.h>

namespace lookahead {

Json points_to_json(std::span<const SweepPoint> points) {
    Json::Array all;
    all.reserve(points.size());
    for (const SweepPoint& point : points) {
        all.push_back(Json::Array{point.key, point.workload, point.labels, point.arguments});
    }
    return all;
}

std::vector<SweepPoint> points_from_json(const Json& all) {
    constexpr std::size_t kColumns = 4;
    std::vector<SweepPoint> points;
    points.reserve(all.elements().size());
    for (const Json& row : all.elements()) {
        const Json::Array& columns = row.elements();
        if (columns.size() != kColumns) {
            throw JsonError(fmt::format("{} is not a point: key, workload, labels, arguments", row.text()));
        }
        points.push_back({columns[1].as_text(), columns[2].as_texts(), columns[3].as_texts(), columns[0].as_text()});
    }
    return points;
}

}  // namespace lookahead
