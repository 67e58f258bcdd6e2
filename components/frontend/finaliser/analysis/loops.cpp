#include "components/frontend/finaliser/analysis/flow.h"

namespace lookahead::finaliser {

std::vector<std::uint32_t> loop_depths(const ptx::Graph& graph, const ptx::DominatorTree& dominators) {
    const auto before = ptx::predecessors(graph);
    std::vector<std::uint32_t> depths(graph.size(), 0);
    for (std::uint32_t head = 0; head < graph.size(); ++head) {
        // The loop's blocks: those from which a back edge reaches its header without passing the header.
        std::vector<bool> inside(graph.size(), false);
        std::vector<std::uint32_t> open;
        const auto enter = [&](std::uint32_t block) {
            if (inside[block] || (block != 0 && dominators.immediate(block) == ptx::kNoNode)) { return; }
            inside[block] = true;
            open.push_back(block);
        };
        bool is_loop = false;
        for (std::uint32_t from : before[head]) {
            if (dominators.dominates(head, from)) { is_loop = true; }
        }
        if (!is_loop) { continue; }
        inside[head] = true;
        for (std::uint32_t from : before[head]) {
            if (dominators.dominates(head, from)) { enter(from); }
        }
        while (!open.empty()) {
            const std::uint32_t block = open.back();
            open.pop_back();
            for (std::uint32_t from : before[block]) { enter(from); }
        }
        for (std::uint32_t block = 0; block < graph.size(); ++block) { depths[block] += inside[block]; }
    }
    return depths;
}

}  // namespace lookahead::finaliser
