#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "partitioning/partitioners/partitioners.h"

namespace lookahead {
namespace {

/// The vertices of each kind, those with most work first; the kind with most work comes first.
std::vector<std::vector<LpId>> vertices_by_kind(const PartitionGraph& graph) {
    std::vector<std::vector<LpId>> kinds(graph.kind.empty() ? 0 : std::ranges::max(graph.kind) + 1);
    for (LpId lp = 0; lp < graph.vertices(); ++lp) { kinds[graph.kind[lp]].push_back(lp); }
    const auto work_of = [&](LpId lp) { return graph.work[lp]; };
    const auto work_of_all = [&](const std::vector<LpId>& lps) {
        return std::transform_reduce(lps.begin(), lps.end(), 0.0, std::plus(), work_of);
    };
    for (std::vector<LpId>& lps : kinds) { std::ranges::stable_sort(lps, std::ranges::greater(), work_of); }
    std::ranges::stable_sort(kinds, std::ranges::greater(), work_of_all);
    return kinds;
}

}  // namespace

std::vector<int> partition_by_kind(const PartitionGraph& graph, int ranks) {
    std::vector<int> rank_of_lp(graph.vertices(), 0);
    std::vector<double> loads(static_cast<std::size_t>(ranks), 0);
    for (const std::vector<LpId>& lps : vertices_by_kind(graph)) {
        std::vector<std::size_t> of_kind(loads.size(), 0);
        for (const LpId lp : lps) {
            std::size_t best = 0;
            for (std::size_t rank = 1; rank < loads.size(); ++rank) {
                if (std::tie(of_kind[rank], loads[rank]) < std::tie(of_kind[best], loads[best])) { best = rank; }
            }
            rank_of_lp[lp] = static_cast<int>(best);
            loads[best] += graph.work[lp];
            ++of_kind[best];
        }
    }
    return rank_of_lp;
}

}  // namespace lookahead
