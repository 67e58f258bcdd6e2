#include <algorithm>
#include <iterator>
#include <numeric>

#include "components/frontend/finaliser/analysis/flow.h"

namespace lookahead::finaliser {

std::vector<Loop> natural_loops(const ptx::Graph& graph, const ptx::DominatorTree& dominators,
                                std::span<const std::uint32_t> headers) {
    const auto before = ptx::predecessors(graph);
    std::vector<Loop> loops;
    for (const std::uint32_t header : headers) {
        std::vector<std::uint32_t> open;
        std::ranges::copy_if(before[header], std::back_inserter(open),
                             [&](std::uint32_t latch) { return dominators.dominates(header, latch); });
        if (open.empty()) { continue; }
        Loop& loop = loops.emplace_back(Loop{header, BitSet(graph.size())});
        loop.blocks.insert(header);
        while (!open.empty()) {
            const std::uint32_t block = open.back();
            open.pop_back();
            const bool reachable = block == 0 || dominators.immediate(block) != ptx::kNoNode;
            if (!reachable || loop.blocks.contains(block)) { continue; }
            loop.blocks.insert(block);
            open.insert(open.end(), before[block].begin(), before[block].end());
        }
    }
    return loops;
}

std::vector<std::uint32_t> loop_depths(const ptx::Graph& graph, const ptx::DominatorTree& dominators) {
    std::vector<std::uint32_t> depths(graph.size(), 0), all(graph.size());
    std::iota(all.begin(), all.end(), 0U);
    for (const Loop& loop : natural_loops(graph, dominators, all)) {
        loop.blocks.for_each([&](std::uint32_t block) { ++depths[block]; });
    }
    return depths;
}

}  // namespace lookahead::finaliser
