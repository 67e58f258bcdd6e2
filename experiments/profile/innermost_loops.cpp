#include "experiments/profile/innermost_loops.h"

namespace lookahead::profile {
namespace {

/// The blocks that reach `head` through a back edge without passing it; empty if `head` starts no loop.
std::vector<std::uint32_t> loop_body(std::uint32_t head, const std::vector<std::vector<std::uint32_t>>& before,
                                     const ptx::DominatorTree& dominators) {
    const auto reachable = [&](std::uint32_t block) {
        return block == 0 || dominators.immediate(block) != ptx::kNoNode;
    };
    std::vector<std::uint32_t> body;
    std::vector<bool> inside(before.size(), false);
    const auto enter = [&](std::uint32_t block) {
        if (inside[block] || !reachable(block)) { return; }
        inside[block] = true;
        body.push_back(block);
    };
    for (const std::uint32_t from : before[head]) {
        if (reachable(from) && dominators.dominates(head, from)) { enter(from); }
    }
    if (body.empty()) { return body; }
    enter(head);
    for (std::size_t next = 0; next < body.size(); ++next) {
        if (body[next] == head) { continue; }
        for (const std::uint32_t from : before[body[next]]) { enter(from); }
    }
    return body;
}

}  // namespace

std::vector<std::uint32_t> innermost_loops(const ptx::Graph& graph) {
    const ptx::DominatorTree dominators(ptx::immediate_dominators(graph));
    const auto before = ptx::predecessors(graph);
    std::vector<std::vector<std::uint32_t>> bodies(graph.size());
    for (std::uint32_t head = 0; head < graph.size(); ++head) { bodies[head] = loop_body(head, before, dominators); }

    std::vector<std::uint32_t> loop_of(graph.size(), kNoLoop);
    for (std::uint32_t head = 0; head < graph.size(); ++head) {
        bool innermost = true;
        for (const std::uint32_t block : bodies[head]) { innermost &= block == head || bodies[block].empty(); }
        if (!innermost) { continue; }
        for (const std::uint32_t block : bodies[head]) { loop_of[block] = head; }
    }
    return loop_of;
}

}  // namespace lookahead::profile
