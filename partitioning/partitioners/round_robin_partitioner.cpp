#include "partitioning/partitioners/partitioners.h"

namespace lookahead {

std::vector<int> partition_round_robin(const PartitionGraph& graph, int ranks) {
    std::vector<int> rank_of_lp(graph.vertices());
    for (std::size_t lp = 0; lp < rank_of_lp.size(); ++lp) {
        rank_of_lp[lp] = static_cast<int>(lp % static_cast<std::size_t>(ranks));
    }
    return rank_of_lp;
}

}  // namespace lookahead
