#include "components/mechanisms/vecmem/masked_runs.h"

#include <optional>
#include <vector>

#include "components/frontend/finaliser/analysis/dependences.h"
#include "components/frontend/finaliser/analysis/liveness.h"
#include "core/mutation/rule.h"

namespace lookahead::vecmem {

using finaliser::BitSet;
using finaliser::PredicateUse;

namespace {

bool writes(const VirtualKernel& kernel, const VirtualInstruction& instruction, std::uint32_t unit) {
    bool found = false;
    finaliser::for_each_write(kernel, instruction, [&](std::uint32_t written) { found |= written == unit; });
    return found;
}

/// Masks computations that only masked code reads.
class Masker {
  public:
    Masker(const VirtualKernel& kernel, std::vector<VirtualInstruction>& code, const BitSet& live_out)
        : kernel_(kernel), code_(code), live_out_(live_out) {}

    void run() {
        for (std::uint32_t i = static_cast<std::uint32_t>(code_.size()); i-- > 0;) {
            if (code_[i].guarded() || !only_computes(code_[i])) { continue; }
            std::optional<PredicateUse> mask;
            bool is_masked = true;
            finaliser::for_each_write(kernel_, code_[i],
                                      [&](std::uint32_t unit) { is_masked = is_masked && reads_under(mask, i, unit); });
            if (is_masked && mask) { code_[i].guard = *mask; }
        }
    }

  private:
    /// Whether all readers of the unit that instruction `i` writes have one mask, which holds from there on.
    bool reads_under(std::optional<PredicateUse>& mask, std::uint32_t i, std::uint32_t unit) const {
        for (std::uint32_t j = i + 1; j < code_.size(); ++j) {
            bool reads = false;
            finaliser::for_each_read(kernel_, code_[j], [&](std::uint32_t read) { reads |= read == unit; });
            if (reads) {
                if (!code_[j].guarded()) { return false; }
                if (LOOKAHEAD_RULE(readers_have_one_mask) && mask && *mask != code_[j].guard) { return false; }
                mask = code_[j].guard;
                if (LOOKAHEAD_RULE(masks_are_older_than_what_they_mask) && !mask_is_older(i, j, *mask)) {
                    return false;
                }
            }
            if (!code_[j].guarded() && writes(kernel_, code_[j], unit)) { return true; }
        }
        return !live_out_.contains(unit);
    }

    bool mask_is_older(std::uint32_t i, std::uint32_t j, const PredicateUse& mask) const {
        const std::uint32_t unit = finaliser::predicate_unit(kernel_, mask.index);
        for (std::uint32_t between = i; between < j; ++between) {
            if (writes(kernel_, code_[between], unit)) { return false; }
        }
        return true;
    }

    const VirtualKernel& kernel_;
    std::vector<VirtualInstruction>& code_;
    const BitSet& live_out_;
};

/// Splits a block into parts; branches go around those at odd places.
class Splitter {
  public:
    Splitter(VirtualKernel& kernel, std::uint32_t block) : kernel_(kernel), block_(block) {}

    void run() {
        split();
        if (parts_.size() == 1) { return; }
        const auto added = static_cast<std::uint32_t>(parts_.size() - 1);
        for (VirtualBlock& each : kernel_.blocks) {
            for (VirtualInstruction& instruction : each.code) {
                if (instruction.machine.operation == Operation::bra && instruction.target > block_) {
                    instruction.target += added;
                }
            }
        }
        for (VirtualInstruction& last : parts_.back().code) {
            if (last.machine.operation == Operation::bra && last.target > block_) { last.target += added; }
        }
        for (std::uint32_t part = 1; part < parts_.size(); part += 2) { go_around(part); }
        kernel_.blocks[block_] = parts_[0];
        kernel_.blocks.insert(kernel_.blocks.begin() + block_ + 1, parts_.begin() + 1, parts_.end());
    }

  private:
    void split() {
        std::vector<VirtualInstruction> code = std::move(kernel_.blocks[block_].code);
        parts_.emplace_back();
        for (std::size_t i = 0; i < code.size();) {
            const std::size_t count = run_at(code, i);
            const bool skips = count >= kLeastSkipped;
            if (skips) { parts_.emplace_back(); }
            for (std::size_t end = i + std::max<std::size_t>(count, 1); i < end; ++i) {
                parts_.back().code.push_back(std::move(code[i]));
            }
            if (skips) { parts_.emplace_back(); }
        }
        if (parts_.size() == 1) { kernel_.blocks[block_] = parts_[0]; }
    }

    /// How many instructions from `first` on have one mask.
    std::size_t run_at(const std::vector<VirtualInstruction>& code, std::size_t first) const {
        std::size_t i = first;
        for (; i < code.size() && code[i].guarded() && !finaliser::is_jump(code[i]); ++i) {
            if (code[i].guard != code[first].guard) { break; }
            if (writes(kernel_, code[i], finaliser::predicate_unit(kernel_, code[i].guard.index))) {
                return i + 1 - first;
            }
        }
        return i - first;
    }

    void go_around(std::uint32_t part) {
        VirtualBlock& masked = parts_[part];
        VirtualInstruction around = finaliser::beside(masked.code.front(), Operation::bra);
        around.guard = masked.code.front().guard;
        around.guard.negated = !around.guard.negated;
        around.target = block_ + part + 1;
        parts_[part - 1].code.push_back(around);
        for (VirtualInstruction& instruction : masked.code) { instruction.guard = {finaliser::kAlways, false}; }
    }

    VirtualKernel& kernel_;
    const std::uint32_t block_;
    std::vector<VirtualBlock> parts_;
};

}  // namespace

bool only_computes(const VirtualInstruction& instruction) {
    const Operation op = instruction.machine.operation;
    return !isa::is_memory(op) && op != Operation::texture && op != Operation::activemask &&
           !finaliser::is_jump(instruction) && !finaliser::holds_everything(instruction) &&
           !finaliser::has_side_effect(instruction);
}

void skip_masked_runs(VirtualKernel& kernel, std::span<const std::uint32_t> blocks) {
    const finaliser::Liveness liveness(kernel);
    for (std::uint32_t block : blocks) {
        const BitSet live_out = liveness.out(block);
        Masker(kernel, kernel.blocks[block].code, live_out).run();
    }
    for (std::size_t i = blocks.size(); i-- > 0;) { Splitter(kernel, blocks[i]).run(); }
}

}  // namespace lookahead::vecmem
