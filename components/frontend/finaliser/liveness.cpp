#include "components/frontend/finaliser/liveness.h"

#include "components/frontend/finaliser/flow.h"

namespace lookahead::finaliser {

namespace {

/// What a block reads before it writes it, and what it surely writes.
struct BlockSummary {
    BitSet reads;
    BitSet writes;
};

BlockSummary summarise(const VirtualKernel& kernel, const VirtualBlock& block) {
    BlockSummary summary{BitSet(unit_count(kernel)), BitSet(unit_count(kernel))};
    for (const VirtualInstruction& instruction : block.code) {
        for_each_read(kernel, instruction, [&](std::uint32_t unit) {
            if (!summary.writes.contains(unit)) summary.reads.insert(unit);
        });
        if (!instruction.guarded())
            for_each_write(kernel, instruction, [&](std::uint32_t unit) { summary.writes.insert(unit); });
    }
    return summary;
}

}  // namespace

void step_back(const VirtualKernel& kernel, const VirtualInstruction& instruction, BitSet& live) {
    if (!instruction.guarded()) for_each_write(kernel, instruction, [&](std::uint32_t unit) { live.erase(unit); });
    for_each_read(kernel, instruction, [&](std::uint32_t unit) { live.insert(unit); });
}

Liveness liveness_of(const VirtualKernel& kernel) {
    const ptx::Graph graph = flow_of(kernel);
    const std::size_t units = unit_count(kernel);
    std::vector<BlockSummary> summaries;
    for (const VirtualBlock& block : kernel.blocks) summaries.push_back(summarise(kernel, block));

    Liveness liveness;
    liveness.in.assign(kernel.blocks.size(), BitSet(units));
    liveness.out.assign(kernel.blocks.size(), BitSet(units));
    for (std::size_t block = 0; block < summaries.size(); ++block) liveness.in[block] = summaries[block].reads;
    // Blocks whose successors have changed since they were last seen: in large kernels few after the first turn.
    std::vector<bool> waits(kernel.blocks.size(), true);
    const std::vector<std::vector<std::uint32_t>> before = ptx::predecessors(graph);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = kernel.blocks.size(); block-- > 0;) {
            if (!waits[block]) continue;
            waits[block] = false;
            for (std::uint32_t next : graph.successors[block]) liveness.out[block].unite(liveness.in[next]);
            if (!liveness.in[block].unite_difference(liveness.out[block], summaries[block].writes)) continue;
            changed = true;
            for (std::uint32_t earlier : before[block]) waits[earlier] = true;
        }
    }
    return liveness;
}

}  // namespace lookahead::finaliser
