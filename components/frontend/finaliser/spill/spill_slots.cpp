#include "components/frontend/finaliser/allocate/allocate.h"
#include "components/frontend/finaliser/spill/spill_registers.h"
#include "components/isa/instruction.h"
#include "components/isa/kernel.h"

namespace lookahead::finaliser {

namespace {

/// The end of the kernel's own local variables, where its spilled values begin.
std::int64_t first_spill_byte(const isa::KernelFrame& frame) {
    return static_cast<std::int64_t>(frame.local_bytes) - frame.spill_bytes;
}

bool is_spill(const isa::InstructionForm& instruction, bool constant_address, const isa::KernelFrame& frame) {
    return instruction.space == isa::Space::local && constant_address && instruction.offset >= first_spill_byte(frame);
}

bool is_spill(const VirtualInstruction& instruction, const isa::KernelFrame& frame) {
    return is_spill(instruction.machine, instruction.source[0].kind == Operand::Kind::constant, frame);
}

std::uint32_t slot_of(const VirtualInstruction& access, const isa::KernelFrame& frame) {
    return static_cast<std::uint32_t>((access.machine.offset - first_spill_byte(frame)) / 4);
}

/// A kernel in which a row represents each slot, stores write rows and loads read them.
VirtualKernel kernel_of_slots(const VirtualKernel& kernel) {
    VirtualKernel result;
    result.predicates = kernel.predicates;
    for (std::uint32_t slot = 0; slot < kernel.frame.spill_bytes / 4; ++slot) { result.new_rows(1); }
    for (const VirtualBlock& block : kernel.blocks) {
        VirtualBlock& moves = result.blocks.emplace_back();
        for (const VirtualInstruction& instruction : block.code) {
            VirtualInstruction move = new_instruction(instruction.machine.operation);
            move.guard = instruction.guard;
            if (is_jump(instruction)) {
                move.target = instruction.target;
            } else if (!is_spill(instruction, kernel.frame)) {
                continue;
            } else if (instruction.machine.operation == Operation::store) {
                move.machine.operation = Operation::add;  // not a copy: two slots are never one value
                move.set_destination(slot_of(instruction, kernel.frame));
            } else {
                move.machine.operation = Operation::store;
                move.source[0] = register_rows(slot_of(instruction, kernel.frame));
            }
            moves.code.push_back(move);
        }
    }
    return result;
}

void count(const isa::InstructionForm& instruction, bool constant_address, const isa::KernelFrame& frame,
           SpillInstructions& counts) {
    if (!is_spill(instruction, constant_address, frame)) { return; }
    counts.loads += instruction.operation == Operation::load;
    counts.stores += instruction.operation == Operation::store;
}

}  // namespace

void share_spill_slots(VirtualKernel& kernel) {
    if (kernel.frame.spill_bytes == 0) { return; }
    const Allocation slots = allocate(kernel_of_slots(kernel));
    const isa::KernelFrame old = kernel.frame;
    for_each_instruction(kernel, [&](VirtualInstruction& instruction) {
        if (is_spill(instruction, old)) {
            instruction.machine.offset =
                static_cast<std::int32_t>(first_spill_byte(old) + 4 * slots.register_of[slot_of(instruction, old)]);
        }
    });
    kernel.frame.spill_bytes = 4 * slots.registers;
    kernel.frame.local_bytes = old.local_bytes - old.spill_bytes + kernel.frame.spill_bytes;
}

SpillInstructions spill_instructions(const isa::Kernel& kernel) {
    SpillInstructions counts;
    for (const isa::Instruction& instruction : kernel.code) {
        count(instruction, instruction.source[0].kind == Operand::Kind::constant, kernel, counts);
    }
    return counts;
}

SpillInstructions spill_instructions(const VirtualKernel& kernel) {
    SpillInstructions counts;
    for_each_instruction(kernel, [&](const VirtualInstruction& instruction) {
        count(instruction.machine, instruction.source[0].kind == Operand::Kind::constant, kernel.frame, counts);
    });
    return counts;
}

}  // namespace lookahead::finaliser
