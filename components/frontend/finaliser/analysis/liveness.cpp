#include "components/frontend/finaliser/analysis/liveness.h"

#include "components/frontend/finaliser/analysis/flow.h"

namespace lookahead::finaliser {

Liveness::Liveness(const VirtualKernel& kernel) : unit_count_(unit_count(kernel)) {
    number_units(kernel);
    solve(kernel);
}

void Liveness::number_units(const VirtualKernel& kernel) {
    number_of_.assign(unit_count_, kNone);
    std::vector<std::uint32_t> written_in(unit_count_, kNone);  // the last block so far that surely writes the unit
    for (std::uint32_t block = 0; block < kernel.blocks.size(); ++block)
        for (const VirtualInstruction& instruction : kernel.blocks[block].code) {
            for_each_read(kernel, instruction, [&](std::uint32_t unit) {
                if (written_in[unit] != block) number_of_[unit] = 0;
            });
            if (!instruction.guarded())
                for_each_write(kernel, instruction, [&](std::uint32_t unit) { written_in[unit] = block; });
        }
    for (std::uint32_t unit = 0; unit < unit_count_; ++unit) {
        if (number_of_[unit] == kNone) continue;
        number_of_[unit] = static_cast<std::uint32_t>(units_.size());
        units_.push_back(unit);
    }
}

void Liveness::solve(const VirtualKernel& kernel) {
    const std::size_t count = kernel.blocks.size();
    in_.assign(count, BitSet(units_.size()));  // at first what the block reads before it writes it
    out_.assign(count, BitSet(units_.size()));
    std::vector<BitSet> writes(count, BitSet(units_.size()));
    for (std::size_t block = 0; block < count; ++block)
        for (const VirtualInstruction& instruction : kernel.blocks[block].code) {
            for_each_read(kernel, instruction, [&](std::uint32_t unit) {
                const std::uint32_t number = number_of_[unit];
                if (number != kNone && !writes[block].contains(number)) in_[block].insert(number);
            });
            if (instruction.guarded()) continue;
            for_each_write(kernel, instruction, [&](std::uint32_t unit) {
                if (number_of_[unit] != kNone) writes[block].insert(number_of_[unit]);
            });
        }
    // Blocks whose successors have changed since they were last seen: in large kernels few after the first turn.
    const ptx::Graph graph = flow_of(kernel);
    std::vector<bool> waits(count, true);
    const std::vector<std::vector<std::uint32_t>> before = ptx::predecessors(graph);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = count; block-- > 0;) {
            if (!waits[block]) continue;
            waits[block] = false;
            for (std::uint32_t next : graph.successors[block]) out_[block].unite(in_[next]);
            if (!in_[block].unite_difference(out_[block], writes[block])) continue;
            changed = true;
            for (std::uint32_t earlier : before[block]) waits[earlier] = true;
        }
    }
}

BitSet Liveness::out(std::size_t block) const {
    BitSet live(unit_count_);
    for_each_out(block, [&](std::uint32_t unit) { live.insert(unit); });
    return live;
}

void step_back(const VirtualKernel& kernel, const VirtualInstruction& instruction, BitSet& live) {
    if (!instruction.guarded()) for_each_write(kernel, instruction, [&](std::uint32_t unit) { live.erase(unit); });
    for_each_read(kernel, instruction, [&](std::uint32_t unit) { live.insert(unit); });
}

}  // namespace lookahead::finaliser
