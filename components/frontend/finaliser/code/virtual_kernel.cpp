#include "components/frontend/finaliser/code/virtual_kernel.h"

#include <algorithm>

#include "core/error/error.h"

namespace lookahead::finaliser {

using isa::OperationGroup;

std::uint32_t VirtualKernel::new_rows(unsigned count) {
    LOOKAHEAD_ASSERT(count >= 1 && count <= isa::kMostOperandRows, "a group has 1 to 16 rows");
    const std::uint32_t first = rows();
    const auto group = static_cast<std::uint32_t>(groups.size());
    groups.push_back({first, static_cast<std::uint8_t>(count), static_cast<std::uint8_t>(alignment_of(count))});
    group_of.insert(group_of.end(), count, group);
    return first;
}

void VirtualKernel::annotate(VirtualInstruction& instruction, std::string_view tag, std::int64_t value) {
    annotations.push_back({std::string(tag), value, instruction.annotations});
    instruction.annotations = static_cast<std::uint32_t>(annotations.size() - 1);
}

VirtualInstruction new_instruction(Operation operation, Type type, std::initializer_list<VirtualOperand> sources) {
    VirtualInstruction made;
    made.machine.operation = operation;
    made.machine.type = type;
    std::ranges::copy(sources, made.source.begin());
    return made;
}

VirtualInstruction beside(const VirtualInstruction& served, Operation operation, Type type) {
    VirtualInstruction made = new_instruction(operation, type);
    made.machine.line = served.machine.line;
    made.origin = served.origin;
    return made;
}

VirtualInstruction part_of(const VirtualInstruction& whole) {
    VirtualInstruction made = beside(whole);
    made.annotations = whole.annotations;
    return made;
}

bool is_copy(const VirtualInstruction& instruction) {
    return instruction.machine.operation == Operation::mov && !instruction.guarded();
}

bool meets_lanes(const VirtualInstruction& instruction) {
    const int members = isa::member_source(instruction.machine.operation);
    return members >= 0 && instruction.source[members].kind != isa::Operand::Kind::none;
}

bool is_jump(const VirtualInstruction& instruction) {
    const Operation op = instruction.machine.operation;
    return op == Operation::bra || op == Operation::exit || op == Operation::trap;
}

bool has_side_effect(const VirtualInstruction& instruction) {
    const isa::InstructionForm& machine = instruction.machine;
    switch (isa::info_of(machine.operation).group) {
        case OperationGroup::none:
        case OperationGroup::branch:
        case OperationGroup::exit:
        case OperationGroup::trap:
        case OperationGroup::barrier:
        case OperationGroup::fence:
            return true;
        case OperationGroup::memory:
            // The paper's compiler did not know what load_stride and load_indirect do, so it kept each of them (Crago
            // et al., section 7.1).
            return machine.operation != Operation::load || machine.dequeues || machine.order != isa::Order::weak;
        default:
            // Other lanes may wait for this one.
            return machine.operation == Operation::dequeue || meets_lanes(instruction);
    }
}

}  // namespace lookahead::finaliser
