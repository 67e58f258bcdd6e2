#include "components/isa/decoded_instruction.h"

namespace lookahead::isa {
namespace {

Action action_of(const Instruction& instruction) {
    switch (instruction.operation) {
        case Operation::nop:
        case Operation::warp_sync:
            return Action::nothing;
        case Operation::read_special:
            return Action::special_register;
        case Operation::bra:
            return Action::branch;
        case Operation::exit:
            return Action::exit;
        case Operation::barrier:
            return Action::barrier;
        case Operation::membar:
            return Action::fence;
        case Operation::trap:
            return Action::trap;
        case Operation::enqueue:
        case Operation::dequeue:
            return Action::queue;
        case Operation::texture:
            return Action::memory;
        default:
            return is_memory(instruction.operation) ? Action::memory : Action::alu;
    }
}

DecodedPredicate source_predicate_of(std::uint8_t predicate, bool negated) {
    const std::uint8_t slot = predicate == kNoPredicate ? kUnusedPredicate : predicate;
    return {slot, negated ? kFullMask : LaneMask{0}};
}

/// A write to PT goes nowhere.
std::uint8_t destination_predicate_of(std::uint8_t predicate) {
    return predicate < kPredicateRegisters ? predicate : kUnusedPredicate;
}

}  // namespace

DecodedInstruction decode(const Instruction& instruction, SimtModel simt) {
    DecodedInstruction decoded;
    decoded.instruction = &instruction;
    decoded.action = action_of(instruction);
    if (decoded.action == Action::alu) { decoded.handler = select_handler(instruction); }
    if (const int members = member_source(instruction.operation);
        members >= 0 && instruction.source[members].kind != Operand::Kind::none) {
        decoded.action = simt == SimtModel::stack ? Action::converged : Action::meeting;
        decoded.members = static_cast<std::uint8_t>(members);
    }
    decoded.guarded = instruction.guard != kTruePredicate || instruction.guard_negated;
    decoded.guard = source_predicate_of(instruction.guard, instruction.guard_negated);
    decoded.source_predicate = source_predicate_of(instruction.source_predicate, instruction.source_predicate_negated);
    decoded.source_predicate2 =
        source_predicate_of(instruction.source_predicate2, instruction.source_predicate2_negated);
    decoded.destination_predicate = destination_predicate_of(instruction.destination_predicate);
    decoded.destination_predicate2 = destination_predicate_of(instruction.destination_predicate2);
    return decoded;
}

bool lacks_handler(const DecodedInstruction& decoded) {
    const bool meets = decoded.action == Action::meeting || decoded.action == Action::converged;
    const bool computes =
        decoded.action == Action::alu || (meets && decoded.instruction->operation != Operation::warp_sync);
    return computes && decoded.handler == nullptr;
}

}  // namespace lookahead::isa
