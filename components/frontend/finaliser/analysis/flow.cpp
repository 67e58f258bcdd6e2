#include "components/frontend/finaliser/analysis/flow.h"

#include <algorithm>

namespace lookahead::finaliser {

ptx::Graph flow_of(const VirtualKernel& kernel) {
    const auto count = static_cast<std::uint32_t>(kernel.blocks.size());
    ptx::Graph graph;
    graph.successors.resize(count);
    graph.exits.resize(count, false);
    for (std::uint32_t block = 0; block < count; ++block) {
        const auto& code = kernel.blocks[block].code;
        bool falls_through = true;
        for (const VirtualInstruction& instruction : code) {
            if (!is_jump(instruction)) { continue; }
            if (instruction.machine.operation == isa::Operation::bra) {
                graph.successors[block].push_back(instruction.target);
            } else {
                graph.exits[block] = true;
            }
            if (!instruction.guarded()) { falls_through = false; }
        }
        if (!falls_through) { continue; }
        if (block + 1 == count) {
            graph.exits[block] = true;
        } else if (auto& next = graph.successors[block]; std::ranges::find(next, block + 1) == next.end()) {
            next.push_back(block + 1);
        }
    }
    return graph;
}

void drop_unreachable_code(VirtualKernel& kernel) {
    std::vector<bool> reached(kernel.blocks.size(), false);
    for (std::uint32_t block : ptx::reverse_post_order(flow_of(kernel))) { reached[block] = true; }
    for (std::size_t block = 0; block < reached.size(); ++block) {
        if (!reached[block]) { kernel.blocks[block].code.clear(); }
    }
}

}  // namespace lookahead::finaliser
