#include "components/mechanisms/dac/streams.h"

#include <algorithm>
#include <utility>

#include "components/frontend/finaliser/analysis/flow.h"
#include "components/isa/kernel.h"
#include "components/mechanisms/dac/plan.h"

namespace lookahead::dac {

using finaliser::part_of;
using finaliser::PredicateUse;
using isa::QueueMode;

namespace {

/// The enqueue in the affine stream for a decoupled instruction.
VirtualInstruction enqueue_for(const VirtualInstruction& decoupled, QueueMode queue) {
    VirtualInstruction made = part_of(decoupled);
    made.guard = decoupled.guard;
    made.machine.operation = Operation::enqueue;
    made.machine.mode = static_cast<std::uint8_t>(queue);
    if (queue == QueueMode::predicate) {
        const bool complement = decoupled.destination_predicate[0] == kNone;
        made.source_predicate[0] = {decoupled.destination_predicate[complement ? 1 : 0], complement};
        return made;
    }
    const isa::InstructionForm& access = decoupled.machine;
    made.source[0] = decoupled.source[0];
    made.machine.type = access.type;
    made.machine.vector = access.vector;
    made.machine.space = access.space;
    made.machine.offset = access.offset;
    made.machine.address_window = access.address_window;
    return made;
}

/// The instruction that sends the branch's predicate for the lanes that reach it (`enqueue`, by a warp) or receives it
/// (`dequeue`, by the affine warp).
VirtualInstruction report_for(const VirtualInstruction& branch, Operation operation) {
    VirtualInstruction made = part_of(branch);
    made.machine.operation = operation;
    made.machine.mode = static_cast<std::uint8_t>(QueueMode::lanes);
    if (operation == Operation::enqueue) {
        made.source_predicate[0] = {branch.guard.index, false};
    } else {
        made.destination_predicate[0] = branch.guard.index;
    }
    return made;
}

/// A barrier, or a fence for any other instruction at which expansion stops. The affine warp waits at neither and
/// computes nothing there.
VirtualInstruction marker_for(const VirtualInstruction& instruction) {
    VirtualInstruction made = part_of(instruction);
    made.guard = instruction.guard;
    made.machine.operation = instruction.machine.operation;
    made.machine.mode = instruction.machine.mode;
    made.machine.scope = instruction.machine.scope;
    if (made.machine.operation == Operation::barrier) {
        for (std::size_t i = 0; i < 2; ++i) {
            if (instruction.source[i].kind == isa::Operand::Kind::constant) { made.source[i] = instruction.source[i]; }
        }
        const bool arrives = instruction.machine.barrier == isa::BarrierKind::arrive;
        made.machine.barrier = arrives ? isa::BarrierKind::arrive : isa::BarrierKind::sync;
        return made;
    }
    if (made.machine.operation != Operation::membar) {
        made.machine.operation = Operation::membar;
        made.machine.mode = 0;
        made.machine.scope = isa::Scope::gpu;
    }
    return made;
}

/// A jump to the block where all paths from this block meet.
VirtualInstruction jump_on(const VirtualInstruction& left_out, std::uint32_t to) {
    VirtualInstruction made = part_of(left_out);
    made.machine.operation = to == ptx::kNoNode ? Operation::exit : Operation::bra;
    if (to != ptx::kNoNode) { made.target = to; }
    return made;
}

void keep_affine(std::vector<VirtualInstruction>& code, const VirtualInstruction& instruction, const Step& step,
                 std::uint32_t meeting) {
    if (finaliser::is_jump(instruction)) {
        VirtualInstruction jump = instruction;
        if (step.reports) { code.push_back(report_for(instruction, Operation::dequeue)); }
        // Warps execute their traps themselves.
        if (jump.machine.operation == Operation::trap) {
            jump.machine.operation = Operation::exit;
            jump.machine.mode = 0;
            jump.source = {};
        }
        code.push_back(step.affine || !jump.guarded() ? jump : jump_on(instruction, meeting));
        return;
    }
    if (!step.affine) { return; }
    if (step.marker) {
        code.push_back(marker_for(instruction));
        return;
    }
    const bool access = isa::is_memory(instruction.machine.operation);
    if (!access) { code.push_back(instruction); }
    if (step.queue) { code.push_back(enqueue_for(instruction, *step.queue)); }
}

void dequeue(VirtualInstruction& instruction, QueueMode queue) {
    instruction.source[0] = {};
    if (queue != QueueMode::predicate) {
        instruction.machine.dequeues = true;
        instruction.machine.offset = 0;
        instruction.machine.address_window = 0;
        return;
    }
    VirtualInstruction made = part_of(instruction);
    made.guard = instruction.guard;
    made.destination_predicate = instruction.destination_predicate;
    made.machine.operation = Operation::dequeue;
    made.machine.mode = static_cast<std::uint8_t>(queue);
    instruction = made;
}

}  // namespace

finaliser::VirtualProgram affine_stream(const VirtualKernel& kernel, const Flow& flow, const Plan& plan) {
    finaliser::VirtualProgram program{kAffineStream, kernel, false};
    for (std::uint32_t block : flow.order()) {
        std::vector<VirtualInstruction> code;
        const auto& before = kernel.blocks[block].code;
        for (std::uint32_t index = 0; index < before.size(); ++index) {
            keep_affine(code, before[index], plan.at({block, index}), flow.post_dominator(block));
        }
        program.code.blocks[block].code = std::move(code);
    }
    finaliser::drop_unreachable_code(program.code);
    return program;
}

const isa::Program* affine_program(const isa::Kernel& kernel) {
    const auto found = std::ranges::find(kernel.programs, kAffineStream, &isa::Program::name);
    return found == kernel.programs.end() ? nullptr : &*found;
}

void take_from_queues(VirtualKernel& kernel, const Plan& plan) {
    for (std::uint32_t block = 0; block < kernel.blocks.size(); ++block) {
        auto& code = kernel.blocks[block].code;
        for (std::uint32_t index = 0; index < code.size(); ++index) {
            if (const auto queue = plan.at({block, index}).queue) { dequeue(code[index], *queue); }
        }
        if (code.empty() || !plan.at({block, static_cast<std::uint32_t>(code.size() - 1)}).reports) { continue; }
        code.insert(code.end() - 1, report_for(code.back(), Operation::enqueue));
    }
    remove_unread(kernel);
}

}  // namespace lookahead::dac
