#include "components/frontend/finaliser/code/virtual_kernel.h"

#include "core/error/error.h"

namespace lookahead::finaliser {

using isa::Operation;

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

VirtualInstruction beside(const VirtualInstruction& served) {
    VirtualInstruction made;
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
    switch (instruction.machine.operation) {
        case Operation::nop:
        case Operation::bra:
        case Operation::exit:
        case Operation::trap:
        case Operation::barrier:
        case Operation::membar:
        case Operation::warp_sync:
        case Operation::store:
        case Operation::store_stride:
        case Operation::store_indirect:
        case Operation::atomic:
        case Operation::reduce:
        case Operation::enqueue:
        case Operation::dequeue:
            return true;
        // The paper's compiler did not know what these do, so it kept each of them (Crago et al., section 7.1).
        case Operation::load_stride:
        case Operation::load_indirect:
            return true;
        case Operation::load:
            if (instruction.machine.dequeues) { return true; }
            return instruction.machine.order != isa::Order::weak;
        // Other lanes may wait for this one.
        default:
            return meets_lanes(instruction);
    }
}

}  // namespace lookahead::finaliser
