#include <numeric>

#include "partitioning/partitioners/partitioners.h"

namespace lookahead {

std::vector<int> partition_linear(const PartitionGraph& graph, int ranks) {
    const double total = std::accumulate(graph.work.begin(), graph.work.end(), 0.0);
    std::vector<int> rank_of_lp;
    double before = 0;
    for (const double work : graph.work) {
        // An LP goes to the rank in whose part of the line of all work the LP's middle lies.
        const double place = total > 0 ? (before + work / 2) / total : 0;
        const int rank = static_cast<int>(place * ranks);
        rank_of_lp.push_back(rank < ranks ? rank : ranks - 1);
        before += work;
    }
    return rank_of_lp;
}

}  // namespace lookahead
