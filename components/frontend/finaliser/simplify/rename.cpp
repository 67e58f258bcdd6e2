#include "components/frontend/finaliser/simplify/simplify.h"

#include <numeric>
#include <unordered_map>
#include <vector>

#include "components/frontend/finaliser/analysis/liveness.h"

namespace lookahead::finaliser {

namespace {

/// Renames in one block. An unguarded write of a whole register (all rows of a group, or a predicate) begins a new
/// value; guarded and partial writes continue the current one.
class BlockRenamer {
  public:
    BlockRenamer(VirtualKernel& kernel, VirtualBlock& block, const BitSet& live_out, std::uint32_t rows)
        : kernel_(kernel), block_(block), live_out_(live_out), rows_(rows) {}

    void run() {
        for (const VirtualInstruction& instruction : block_.code) {
            for_each_new_value(instruction, [&](std::uint32_t unit) { ++values_left_[unit]; });
        }
        for (VirtualInstruction& instruction : block_.code) {
            rename_reads(instruction);
            const VirtualInstruction before = instruction;
            for_each_new_value(before, [&](std::uint32_t unit) { begin_value(unit); });
            rename_writes(instruction);
        }
    }

  private:
    bool is_row(std::uint32_t unit) const { return unit < rows_; }

    /// Calls `visit` with the first row of groups, or the predicate's unit, that the instruction wholly overwrites.
    template <typename Visit>
    void for_each_new_value(const VirtualInstruction& instruction, Visit visit) const {
        if (instruction.guarded()) { return; }
        if (instruction.destination_rows != 0) {
            const RowGroup& group = kernel_.groups[kernel_.group_of[instruction.destination]];
            if (group.first == instruction.destination && group.rows == instruction.destination_rows) {
                visit(group.first);
            }
        }
        for (std::uint32_t predicate : instruction.destination_predicate) {
            if (predicate != kNone) { visit(rows_ + predicate); }
        }
    }

    void begin_value(std::uint32_t unit) {
        const bool is_last = --values_left_[unit] == 0;
        if (is_last && outlives_block(unit)) {
            name_.erase(unit);
        } else {
            name_[unit] =
                is_row(unit) ? kernel_.new_rows(kernel_.groups[kernel_.group_of[unit]].rows) : kernel_.new_predicate();
        }
    }

    bool outlives_block(std::uint32_t unit) const {
        if (!is_row(unit)) { return live_out_.contains(unit); }
        const RowGroup& group = kernel_.groups[kernel_.group_of[unit]];
        for (std::uint32_t i = 0; i < group.rows; ++i) {
            if (live_out_.contains(group.first + i)) { return true; }
        }
        return false;
    }

    std::uint32_t row_name(std::uint32_t row) const {
        const std::uint32_t first = kernel_.groups[kernel_.group_of[row]].first;
        const auto found = name_.find(first);
        return found == name_.end() ? row : found->second + (row - first);
    }

    std::uint32_t predicate_name(std::uint32_t predicate) const {
        if (predicate >= kAlways) { return predicate; }
        const auto found = name_.find(rows_ + predicate);
        return found == name_.end() ? predicate : found->second;
    }

    void rename_reads(VirtualInstruction& instruction) const {
        for (VirtualOperand& operand : instruction.source) {
            if (operand.kind == isa::Operand::Kind::reg) { operand.index = row_name(operand.index); }
        }
        instruction.guard.index = predicate_name(instruction.guard.index);
        for (PredicateUse& use : instruction.source_predicate) { use.index = predicate_name(use.index); }
    }

    void rename_writes(VirtualInstruction& instruction) const {
        if (instruction.destination_rows != 0) { instruction.destination = row_name(instruction.destination); }
        for (std::uint32_t& predicate : instruction.destination_predicate) { predicate = predicate_name(predicate); }
    }

    VirtualKernel& kernel_;
    VirtualBlock& block_;
    const BitSet& live_out_;
    std::uint32_t rows_;  ///< predicates' units begin here, as in live_out_
    std::unordered_map<std::uint32_t, unsigned> values_left_;
    std::unordered_map<std::uint32_t, std::uint32_t> name_;  ///< unit -> its value's new first row or predicate
};

}  // namespace

void rename_local_values(VirtualKernel& kernel) {
    std::vector<std::uint32_t> all(kernel.blocks.size());
    std::iota(all.begin(), all.end(), 0U);
    rename_values_of_blocks(kernel, all);
}

void rename_values_of_blocks(VirtualKernel& kernel, std::span<const std::uint32_t> blocks) {
    const Liveness liveness(kernel);
    const std::uint32_t rows = kernel.rows();
    for (std::uint32_t block : blocks) {
        const BitSet live_out = liveness.out(block);
        BlockRenamer(kernel, kernel.blocks[block], live_out, rows).run();
    }
}

}  // namespace lookahead::finaliser
