#include "components/frontend/finaliser/analysis/liveness.h"

#include "components/frontend/finaliser/analysis/flow.h"

namespace lookahead::finaliser {

Liveness::Liveness(const VirtualKernel& kernel) : unit_count_(unit_count(kernel)) {
    number_units(kernel);
    solve(kernel);
}

void Liveness::number_units(const VirtualKernel& kernel) {
    number_of_.assign(unit_count_, kNone);
    std::vector<std::uint32_t> written_in(unit_count_, kNone);  // the last block so far that surely writes it
    for (std::uint32_t block = 0; block < kernel.blocks.size(); ++block) {
        for (const VirtualInstruction& instruction : kernel.blocks[block].code) {
            for_each_read(kernel, instruction, [&](std::uint32_t unit) {
                if (written_in[unit] != block) { number_of_[unit] = 0; }
            });
            if (!instruction.guarded()) {
                for_each_write(kernel, instruction, [&](std::uint32_t unit) { written_in[unit] = block; });
            }
        }
    }
    for (std::uint32_t unit = 0; unit < unit_count_; ++unit) {
        if (number_of_[unit] == kNone) { continue; }
        number_of_[unit] = static_cast<std::uint32_t>(units_.size());
        units_.push_back(unit);
    }
}

void Liveness::solve(const VirtualKernel& kernel) {
    const std::size_t count = kernel.blocks.size();
    words_ = (units_.size() + 63) / 64;
    in_.assign(count * words_, 0);  // initially the units that the block reads before it writes them
    out_.assign(count * words_, 0);
    Sets writes(count * words_);
    const auto bit = [](std::uint32_t number) { return std::uint64_t{1} << (number % 64); };
    for (std::size_t block = 0; block < count; ++block) {
        const std::size_t first = block * words_;
        for (const VirtualInstruction& instruction : kernel.blocks[block].code) {
            for_each_read(kernel, instruction, [&](std::uint32_t unit) {
                const std::uint32_t number = number_of_[unit];
                if (number != kNone) { in_[first + number / 64] |= bit(number) & ~writes[first + number / 64]; }
            });
            if (instruction.guarded()) { continue; }
            for_each_write(kernel, instruction, [&](std::uint32_t unit) {
                const std::uint32_t number = number_of_[unit];
                if (number != kNone) { writes[first + number / 64] |= bit(number); }
            });
        }
    }
    // Blocks whose successors have changed since the last visit: few after the first round in large kernels.
    const ptx::Graph graph = flow_of(kernel);
    std::vector<bool> waits(count, true);
    const std::vector<std::vector<std::uint32_t>> before = ptx::predecessors(graph);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = count; block-- > 0;) {
            if (!waits[block]) { continue; }
            waits[block] = false;
            const std::size_t first = block * words_;
            std::uint64_t added = 0;
            for (std::size_t i = 0; i < words_; ++i) {
                for (const std::uint32_t next : graph.successors[block]) { out_[first + i] |= in_[next * words_ + i]; }
                added |= out_[first + i] & ~writes[first + i] & ~in_[first + i];
                in_[first + i] |= out_[first + i] & ~writes[first + i];
            }
            if (added == 0) { continue; }
            changed = true;
            for (std::uint32_t earlier : before[block]) { waits[earlier] = true; }
        }
    }
}

BitSet Liveness::out(std::size_t block) const {
    BitSet live(unit_count_);
    for_each_out(block, [&](std::uint32_t unit) { live.insert(unit); });
    return live;
}

void step_back(const VirtualKernel& kernel, const VirtualInstruction& instruction, BitSet& live) {
    if (!instruction.guarded()) {
        for_each_write(kernel, instruction, [&](std::uint32_t unit) { live.erase(unit); });
    }
    for_each_read(kernel, instruction, [&](std::uint32_t unit) { live.insert(unit); });
}

}  // namespace lookahead::finaliser
