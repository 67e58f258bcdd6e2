#include "components/frontend/finaliser/emit/emit.h"

#include <algorithm>

#include "components/frontend/finaliser/emit/machine_cfg.h"
#include "components/isa/instruction.h"
#include "components/isa/modes.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

using isa::Instruction;

namespace {

Operand real_operand(const VirtualOperand& operand, const Allocation& allocation) {
    Operand result;
    result.kind = operand.kind;
    result.rows = operand.rows;
    if (operand.kind == Operand::Kind::reg) {
        result.index = static_cast<std::uint16_t>(allocation.register_of[operand.index]);
    } else if (operand.kind == Operand::Kind::constant) {
        result.index = static_cast<std::uint16_t>(operand.index);
    }
    return result;
}

std::uint8_t real_predicate(std::uint32_t predicate, const Allocation& allocation) {
    if (predicate == kNone) { return isa::kNoPredicate; }
    if (predicate == kAlways) { return isa::kTruePredicate; }
    return static_cast<std::uint8_t>(allocation.predicate_of[predicate]);
}

Instruction real_instruction(const VirtualInstruction& from, const Allocation& allocation) {
    Instruction result{from.machine};
    result.guard = real_predicate(from.guard.index, allocation);
    result.guard_negated = from.guard.negated;
    result.source_predicate = real_predicate(from.source_predicate[0].index, allocation);
    result.source_predicate_negated = from.source_predicate[0].negated;
    result.source_predicate2 = real_predicate(from.source_predicate[1].index, allocation);
    result.source_predicate2_negated = from.source_predicate[1].negated;
    result.destination_predicate = real_predicate(from.destination_predicate[0], allocation);
    result.destination_predicate2 = real_predicate(from.destination_predicate[1], allocation);
    result.destination_rows = from.destination_rows;
    if (from.destination_rows != 0) {
        result.destination = static_cast<std::uint16_t>(allocation.register_of[from.destination]);
    }
    for (std::size_t i = 0; i < from.source.size(); ++i) {
        result.source[i] = real_operand(from.source[i], allocation);
    }
    result.target = from.target;  // the block; place_branches sets the instruction
    return result;
}

bool is_copy_to_itself(const Instruction& instruction) {
    return instruction.operation == Operation::mov && instruction.source[0].kind == Operand::Kind::reg &&
           instruction.source[0].index == instruction.destination;
}

struct Placed {
    Instruction machine;
    const VirtualInstruction* from;
};
using Blocks = std::vector<std::vector<Placed>>;

/// Whether all blocks between `from` and `to` are empty, so that control falls through.
bool falls_into(const Blocks& blocks, std::uint32_t from, std::uint32_t to) {
    return from < to && std::all_of(blocks.begin() + from + 1, blocks.begin() + to,
                                    [](const std::vector<Placed>& block) { return block.empty(); });
}

void drop_branches_to_next(Blocks& blocks) {
    // From the end: a block that becomes empty makes the branches over it vanish too.
    for (auto block = static_cast<std::uint32_t>(blocks.size()); block-- > 0;) {
        while (!blocks[block].empty() && blocks[block].back().machine.operation == Operation::bra &&
               falls_into(blocks, block, blocks[block].back().machine.target)) {
            blocks[block].pop_back();
        }
    }
}

bool uses(const Instruction& instruction, std::uint8_t predicate) {
    return instruction.guard == predicate || instruction.source_predicate == predicate ||
           instruction.source_predicate2 == predicate || instruction.destination_predicate == predicate ||
           instruction.destination_predicate2 == predicate;
}

/// Merges a dequeue of a predicate into the branch at the end of the block that reads it; the predicate stays in its
/// register for other readers: `@deq.pred bra`, Wang and Lin, ISCA 2017, figure 7b.
void dequeue_in_branch(std::vector<Placed>& code) {
    if (code.empty()) { return; }
    Placed& branch = code.back();
    const std::uint8_t guard = branch.machine.guard;
    if (branch.machine.operation != Operation::bra || guard == isa::kTruePredicate) { return; }
    for (std::size_t i = code.size() - 1; i-- > 0;) {
        const Instruction& earlier = code[i].machine;
        const bool dequeues = earlier.operation == Operation::dequeue &&
                              earlier.mode == static_cast<std::uint8_t>(isa::QueueMode::predicate);
        if (earlier.dequeues) {
            return;  // other queue operations keep their order
        }
        if (!uses(earlier, guard) && !dequeues) { continue; }
        if (!dequeues || earlier.destination_predicate != guard || earlier.guard != isa::kTruePredicate ||
            earlier.destination_predicate2 != isa::kNoPredicate) {
            return;
        }
        branch.machine.dequeues = true;
        branch.machine.destination_predicate = guard;
        branch.from = code[i].from;
        code.erase(code.begin() + static_cast<std::ptrdiff_t>(i));
        return;
    }
}

void place_annotations(const VirtualKernel& kernel, const VirtualInstruction& from, isa::Kernel& result) {
    const auto instruction = static_cast<std::uint32_t>(result.code.size() - 1);
    for (std::uint32_t next = from.annotations; next != kNone; next = kernel.annotations[next].before) {
        result.annotations.push_back({instruction, kernel.annotations[next].tag, kernel.annotations[next].value});
    }
}

void lay_out(const VirtualKernel& kernel, const Blocks& blocks, isa::Kernel& result) {
    std::vector<std::uint32_t> first;
    for (const auto& block : blocks) {
        first.push_back(static_cast<std::uint32_t>(result.code.size()));
        for (const Placed& placed : block) {
            LOOKAHEAD_ASSERT(placed.from->origin < kernel.origins,
                             "every instruction comes from one that was selected, or was put in for one");
            result.code.push_back(placed.machine);
            result.origins.push_back(placed.from->origin);
            place_annotations(kernel, *placed.from, result);
        }
    }
    for (Instruction& instruction : result.code) {
        if (instruction.operation == Operation::bra) { instruction.target = first[instruction.target]; }
    }
}

void drop_unused_literals(isa::Kernel& kernel) {
    const std::uint32_t base = kernel.first_literal_row();
    std::vector<bool> used(kernel.literals.size(), false);
    const auto for_each_literal = [&](auto&& visit) {
        for (Instruction& instruction : kernel.code) {
            for (Operand& operand : instruction.source) {
                if (operand.kind == Operand::Kind::constant && operand.index >= base) { visit(operand); }
            }
        }
    };
    for_each_literal([&](const Operand& operand) {
        for (unsigned i = 0; i < operand.rows; ++i) { used[operand.index - base + i] = true; }
    });
    std::vector<std::uint32_t> kept;
    std::vector<std::uint32_t> new_index(used.size());
    for (std::size_t i = 0; i < used.size(); ++i) {
        new_index[i] = static_cast<std::uint32_t>(kept.size());
        if (used[i]) { kept.push_back(kernel.literals[i]); }
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
            if (!is_copy_to_itself(real)) { code.push_back({real, &instruction}); }
        }
    }
    drop_branches_to_next(blocks);
    for (auto& block : blocks) { dequeue_in_branch(block); }
    isa::Kernel result;
    static_cast<isa::KernelFrame&>(result) = kernel.frame;
    lay_out(kernel, blocks, result);
    result.registers = allocation.registers;
    result.predicates = allocation.predicates;
    set_reconvergence(result.code);
    drop_unused_literals(result);
    return result;
}

}  // namespace lookahead::finaliser
