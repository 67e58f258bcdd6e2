#include "components/frontend/finaliser/emit/emit.h"

#include "components/frontend/finaliser/emit/machine_cfg.h"

namespace lookahead::finaliser {

using isa::Instruction;
using isa::Operand;
using isa::Operation;

namespace {

Operand real_operand(const VirtualOperand& operand, const Allocation& allocation) {
    Operand result;
    result.kind = operand.kind;
    result.rows = operand.rows;
    if (operand.kind == Operand::Kind::reg)
        result.index = static_cast<std::uint16_t>(allocation.register_of[operand.index]);
    else if (operand.kind == Operand::Kind::constant)
        result.index = static_cast<std::uint16_t>(operand.index);
    return result;
}

std::uint8_t real_predicate(std::uint32_t predicate, const Allocation& allocation) {
    if (predicate == kNone) return isa::kNoPredicate;
    if (predicate == kAlways) return isa::kTruePredicate;
    return static_cast<std::uint8_t>(allocation.predicate_of[predicate]);
}

Instruction real_instruction(const VirtualInstruction& from, const Allocation& allocation) {
    Instruction result = from.machine;
    result.guard = real_predicate(from.guard.index, allocation);
    result.guard_negated = from.guard.negated;
    result.source_predicate = real_predicate(from.source_predicate[0].index, allocation);
    result.source_predicate_negated = from.source_predicate[0].negated;
    result.source_predicate2 = real_predicate(from.source_predicate[1].index, allocation);
    result.source_predicate2_negated = from.source_predicate[1].negated;
    result.destination_predicate = real_predicate(from.destination_predicate[0], allocation);
    result.destination_predicate2 = real_predicate(from.destination_predicate[1], allocation);
    result.destination_rows = from.destination_rows;
    if (from.destination_rows != 0)
        result.destination = static_cast<std::uint16_t>(allocation.register_of[from.destination]);
    for (std::size_t i = 0; i < from.source.size(); ++i) result.source[i] = real_operand(from.source[i], allocation);
    result.target = from.target;  // the block until place_branches
    return result;
}

bool is_copy_to_itself(const Instruction& instruction) {
    return instruction.operation == Operation::mov && instruction.source[0].kind == Operand::Kind::reg &&
           instruction.source[0].index == instruction.destination;
}

using Blocks = std::vector<std::vector<Instruction>>;

/// Whether all blocks between `from` and `to` are empty, so that control falls from one to the other.
bool falls_into(const Blocks& blocks, std::uint32_t from, std::uint32_t to) {
    if (to <= from) return false;
    for (std::uint32_t block = from + 1; block < to; ++block)
        if (!blocks[block].empty()) return false;
    return true;
}

void drop_branches_to_next(Blocks& blocks) {
    // From the end: a block that becomes empty makes the branches over it vanish too.
    for (auto block = static_cast<std::uint32_t>(blocks.size()); block-- > 0;)
        while (!blocks[block].empty() && blocks[block].back().operation == Operation::bra &&
               falls_into(blocks, block, blocks[block].back().target))
            blocks[block].pop_back();
}

std::vector<Instruction> lay_out(const Blocks& blocks) {
    std::vector<Instruction> code;
    std::vector<std::uint32_t> first;
    for (const auto& block : blocks) {
        first.push_back(static_cast<std::uint32_t>(code.size()));
        code.insert(code.end(), block.begin(), block.end());
    }
    for (Instruction& instruction : code)
        if (instruction.operation == Operation::bra) instruction.target = first[instruction.target];
    return code;
}

void drop_unused_literals(isa::Kernel& kernel) {
    const std::uint32_t base = kernel.first_literal_row();
    std::vector<bool> used(kernel.literals.size(), false);
    const auto for_each_literal = [&](auto&& visit) {
        for (Instruction& instruction : kernel.code)
            for (Operand& operand : instruction.source)
                if (operand.kind == Operand::Kind::constant && operand.index >= base) visit(operand);
    };
    for_each_literal([&](const Operand& operand) {
        for (unsigned i = 0; i < operand.rows; ++i) used[operand.index - base + i] = true;
    });
    std::vector<std::uint32_t> kept;
    std::vector<std::uint32_t> new_index(used.size());
    for (std::size_t i = 0; i < used.size(); ++i) {
        new_index[i] = static_cast<std::uint32_t>(kept.size());
        if (used[i]) kept.push_back(kernel.literals[i]);
    }
    for_each_literal(
        [&](Operand& operand) { operand.index = static_cast<std::uint16_t>(base + new_index[operand.index - base]); });
    kernel.literals = std::move(kept);
}

}  // namespace

isa::Kernel emit(const VirtualKernel& kernel, const Allocation& allocation) {
    Blocks blocks;
    for (const VirtualBlock& block : kernel.blocks) {
        auto& code = blocks.emplace_back();
        for (const VirtualInstruction& instruction : block.code) {
            const Instruction real = real_instruction(instruction, allocation);
            if (!is_copy_to_itself(real)) code.push_back(real);
        }
    }
    drop_branches_to_next(blocks);
    isa::Kernel result = kernel.frame;
    result.code = lay_out(blocks);
    result.registers = allocation.registers;
    result.predicates = allocation.predicates;
    set_reconvergence(result.code);
    drop_unused_literals(result);
    return result;
}

}  // namespace lookahead::finaliser
