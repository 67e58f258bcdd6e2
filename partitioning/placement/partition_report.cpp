#include "partitioning/placement/partition_report.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include <fmt/format.h>

#include "core/sync/rank_lookahead.h"
#include "partitioning/graph/partition_graph.h"

namespace lookahead {
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
        text += fmt::format("{:>4}{:>11}{:>12.3f}\n", rank, processes[rank], load[rank]);
    }
    text += fmt::format("imbalance {:.3f} (greatest load over mean)\n", imbalance);
    text +=
        fmt::format("cut {:.3f} of {:.3f} traffic ({:.1f} %)\n", cut, traffic, traffic > 0 ? 100 * cut / traffic : 0);
    text += "shortest channel from rank (row) to rank (column), fs\n";
    for (int from = 0; from < ranks; ++from) {
        text += fmt::format("{:>4}", from);
        for (int to = 0; to < ranks; ++to) {
            const Time least = lookahead_between(from, to);
            text += fmt::format("{:>12}", least == kTimeInfinity ? "-" : std::to_string(least));
        }
        text += "\n";
    }
    return text;
}

}  // namespace lookahead
