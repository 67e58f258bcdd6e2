#include "experiments/profile/innermost_loops.h"

#include "components/frontend/finaliser/analysis/flow.h"

namespace lookahead::profile {

std::vector<std::uint32_t> innermost_loops(const ptx::Graph& graph) {
    const ptx::DominatorTree dominators(ptx::immediate_dominators(graph));
    const auto loops = finaliser::natural_loops(graph, dominators, ptx::reverse_post_order(graph));
    finaliser::BitSet headers(graph.size());
    for (const finaliser::Loop& loop : loops) { headers.insert(loop.header); }
    std::vector<std::uint32_t> loop_of(graph.size(), kNoLoop);
    for (const finaliser::Loop& loop : loops) {
        bool innermost = true;
        loop.blocks.for_each(
            [&](std::uint32_t block) { innermost &= block == loop.header || !headers.contains(block); });
        if (innermost) {
            loop.blocks.for_each([&](std::uint32_t block) { loop_of[block] = loop.header; });
        }
    }
    return loop_of;
}

}  // namespace lookahead::profile
