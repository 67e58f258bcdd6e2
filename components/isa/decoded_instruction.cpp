#include "components/isa/decoded_instruction.h"

#include <cstring>

#include "components/isa/modes.h"

namespace lookahead::isa {
namespace {

Action action_of(const Instruction& instruction) {
    switch (instruction.operation) {
        case Operation::nop:
        case Operation::warp_sync:
        case Operation::mark:
            return Action::nothing;
        case Operation::read_special:
            return Action::special_register;
        case Operation::open_barrier:
        case Operation::leave_barrier:
            return Action::convergence;
        case Operation::bra:
            return instruction.source[0].kind == Operand::Kind::none ? Action::branch : Action::computed_branch;
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
    return predicate == kTruePredicate || predicate == kNoPredicate ? kUnusedPredicate : predicate;
}

/// Applies the modifiers of source `number` to its one or two rows of lanes.
void modify(const Instruction& instruction, unsigned number, std::uint32_t (&value)[2][kWarpSize]) {
    const auto has = [&](unsigned modifier) { return (instruction.modifiers & modifier << number) != 0; };
    const bool of_source = instruction.operation == Operation::convert || instruction.operation == Operation::set;
    const Type type = of_source ? instruction.source_type : instruction.type;
    const unsigned top = instruction.source[number].rows - 1u;
    const bool logical = info_of(instruction.operation).group == OperationGroup::logic;
    const std::uint32_t sign = type == Type::f16x2 ? 0x80008000u : type == Type::f16 ? 0x8000u : 0x80000000u;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        std::uint32_t& low = value[0][lane];
        std::uint32_t& high = value[top][lane];
        if (has(kLowHalf)) { low = (low & 0xffffu) * 0x10001u; }
        if (has(kHighHalf)) { low = (low >> 16) * 0x10001u; }
        if (is_floating(type)) {
            if (has(kAbsolute)) { high &= ~sign; }
            if (has(kNegated)) { high ^= sign; }
        } else if (has(kNegated)) {
            if (top == 1) { high = ~high + (logical || low != 0 ? 0 : 1); }
            low = ~low + (logical ? 0 : 1);
        }
    }
}

/// Handlers of native code that apply their modifiers themselves.
bool applies_modifiers(Operation operation) {
    return operation == Operation::iadd3 || operation == Operation::lea || operation == Operation::mad_carry;
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
    decoded.modified = instruction.uniform || (instruction.modifiers != 0 && !applies_modifiers(instruction.operation));
    decoded.guarded = instruction.guard != kTruePredicate || instruction.guard_negated;
    decoded.guard = source_predicate_of(instruction.guard, instruction.guard_negated);
    decoded.source_predicate = source_predicate_of(instruction.source_predicate, instruction.source_predicate_negated);
    decoded.source_predicate2 =
        source_predicate_of(instruction.source_predicate2, instruction.source_predicate2_negated);
    decoded.destination_predicate = destination_predicate_of(instruction.destination_predicate);
    decoded.destination_predicate2 = destination_predicate_of(instruction.destination_predicate2);
    return decoded;
}

void execute_modified(const DecodedInstruction& decoded, OperandRows& rows, LaneMask active) {
    const Instruction& instruction = *decoded.instruction;
    alignas(32) std::uint32_t modified[3][2][kWarpSize];
    constexpr unsigned kAny = kNegated | kAbsolute | kLowHalf | kHighHalf;
    for (unsigned i = 0; i < 3 && !applies_modifiers(instruction.operation); ++i) {
        if ((instruction.modifiers & kAny << i) == 0) { continue; }
        const unsigned words = instruction.source[i].rows;
        for (unsigned word = 0; word < words; ++word) {
            std::memcpy(modified[i][word], rows.source[i][word], sizeof modified[i][word]);
            rows.source[i][word] = modified[i][word];
        }
        modify(instruction, i, modified[i]);
    }
    // Votes count the active lanes, and write the results of all lanes themselves.
    const bool votes =
        info_of(instruction.operation).group == OperationGroup::vote || instruction.operation == Operation::redux;
    decoded.handler(rows, instruction.uniform && !votes ? kFullMask : active, instruction);
}

bool lacks_handler(const DecodedInstruction& decoded) {
    const bool meets = decoded.action == Action::meeting || decoded.action == Action::converged;
    const bool computes =
        decoded.action == Action::alu || (meets && decoded.instruction->operation != Operation::warp_sync);
    return computes && decoded.handler == nullptr;
}

}  // namespace lookahead::isa
