#include "partitioning/placement/partition_report.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include <fmt/format.h>

#include "core/sync/rank_lookahead.h"
#include "partitioning/graph/partition_graph.h"

namespace lookahead {
namespace {

std::string formatted(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string padded(const std::string& text, std::size_t width) {
    return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

}  // namespace

PartitionReport report_partition(const Model& model, std::span<const int> rank_of_lp, int ranks,
                                 std::span<const double> measured_work) {
    const RankLookahead lookahead(model, rank_of_lp, ranks);
    const PartitionGraph graph = make_partition_graph(model, measured_work);
    PartitionReport report;
    report.ranks = ranks;
    report.processes.assign(static_cast<std::size_t>(ranks), 0);
    report.load.assign(static_cast<std::size_t>(ranks), 0);
    for (LpId lp = 0; lp < graph.vertices(); ++lp) {
        const auto rank = static_cast<std::size_t>(rank_of_lp[lp]);
        ++report.processes[rank];
        report.load[rank] += graph.work[lp];
        for (const auto& edge : graph.of(lp)) {
            report.traffic += edge.traffic / 2;  // each edge is met from both ends
            report.cut += rank_of_lp[edge.lp] != rank_of_lp[lp] ? edge.traffic / 2 : 0;
        }
    }
    const double total = std::accumulate(report.load.begin(), report.load.end(), 0.0);
    if (total > 0) { report.imbalance = *std::max_element(report.load.begin(), report.load.end()) * ranks / total; }
    for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) { report.lookahead.push_back(lookahead.direct(from, to)); }
    }
    return report;
}

std::string PartitionReport::text() const {
    std::string text = "rank  processes        load\n";
    for (std::size_t rank = 0; rank < load.size(); ++rank) {
        text += fmt::format("{}{}{}\n", padded(std::to_string(rank), 4), padded(std::to_string(processes[rank]), 11),
                            padded(formatted("%.3f", load[rank]), 12));
    }
    text += fmt::format("imbalance {} (greatest load over mean)\n", formatted("%.3f", imbalance));
    text += fmt::format("cut {} of {} traffic ({} %)\n", formatted("%.3f", cut), formatted("%.3f", traffic),
                        formatted("%.1f", traffic > 0 ? 100 * cut / traffic : 0));
    text += "shortest channel from rank (row) to rank (column), fs\n";
    for (int from = 0; from < ranks; ++from) {
        text += padded(std::to_string(from), 4);
        for (int to = 0; to < ranks; ++to) {
            const Time least = lookahead_between(from, to);
            text += padded(least == kTimeInfinity ? "-" : std::to_string(least), 12);
        }
        text += "\n";
    }
    return text;
}

}  // namespace lookahead
