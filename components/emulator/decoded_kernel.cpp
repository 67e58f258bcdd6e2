#include "components/emulator/decoded_kernel.h"

#include <algorithm>
#include <string>

#include "components/isa/memory_access.h"
#include "core/error/error.h"

namespace lookahead {
namespace {

using isa::Instruction;
using isa::Operation;

Action action_of(const Instruction& instruction) {
    switch (instruction.operation) {
        case Operation::nop:
        case Operation::membar:
        case Operation::warp_sync:
            return Action::nothing;  // warps run one at a time, each in program order
        case Operation::enqueue:
            return Action::report;  // others are in further programs, which are not run
        case Operation::read_special:
            return Action::read_special;
        case Operation::bra:
            return instruction.dequeues ? Action::dequeue_branch : Action::branch;
        case Operation::exit:
            return Action::exit;
        case Operation::barrier:
            return Action::barrier;
        case Operation::trap:
            return Action::trap;
        case Operation::texture:
            return Action::texture;
        case Operation::dequeue:
            return Action::dequeue;
        case Operation::load:
            return instruction.dequeues ? Action::dequeue_load : Action::load;
        case Operation::store:
            return instruction.dequeues ? Action::dequeue_store : Action::store;
        case Operation::atomic:
        case Operation::reduce:
            return Action::atomic;
        case Operation::load_stride:
        case Operation::load_indirect:
            return Action::load_elements;
        case Operation::store_stride:
        case Operation::store_indirect:
            return Action::store_elements;
        default:
            return Action::alu;
    }
}

std::uint32_t row_of(const isa::Kernel& kernel, const isa::Operand& operand) {
    switch (operand.kind) {
        case isa::Operand::Kind::none:
            return 0;
        case isa::Operand::Kind::reg:
            return operand.index;
        case isa::Operand::Kind::constant:
            return kernel.registers + operand.index;
    }
    return 0;
}

std::uint8_t slot_of(std::uint8_t predicate, std::uint8_t if_none) {
    return predicate == isa::kNoPredicate ? if_none : predicate;
}

isa::LaneMask flip(bool negated) {
    return negated ? isa::kFullMask : 0;
}

void decode_predicates(const Instruction& instruction, DecodedInstruction& decoded) {
    decoded.guard = instruction.guard;
    decoded.guard_flip = flip(instruction.guard_negated);
    decoded.source_predicate = slot_of(instruction.source_predicate, isa::kTruePredicate);
    decoded.source_predicate_flip = flip(instruction.source_predicate_negated);
    decoded.source_predicate2 = slot_of(instruction.source_predicate2, isa::kTruePredicate);
    decoded.source_predicate2_flip = flip(instruction.source_predicate2_negated);
    // PT cannot be written: such results go to the slot that is never read.
    const auto written = [](std::uint8_t predicate) {
        return predicate == isa::kTruePredicate ? kUnreadPredicate : slot_of(predicate, kUnreadPredicate);
    };
    decoded.destination_predicate = written(instruction.destination_predicate);
    decoded.destination_predicate2 = written(instruction.destination_predicate2);
}

void decode_rows(const isa::Kernel& kernel, const Instruction& instruction, DecodedInstruction& decoded) {
    const auto words = [](std::uint32_t row) { return row * isa::kWarpSize; };
    decoded.destination[0] = words(instruction.destination);
    decoded.destination[1] = words(instruction.destination + (instruction.destination_rows > 1 ? 1 : 0));
    for (unsigned i = 0; i < 3; ++i) {
        const isa::Operand& operand = instruction.source[i];
        decoded.source[i][0] = words(row_of(kernel, operand));
        decoded.source[i][1] = words(row_of(kernel, operand) + (operand.rows > 1 ? 1 : 0));
    }
    if (!instruction.dequeues || !isa::is_memory(instruction.operation)) { return; }
    const std::uint32_t dequeued = kernel.registers + kernel.constant_rows();
    decoded.source[0] = {words(dequeued), words(dequeued + 1)};
}

void decode_members(const isa::Kernel& kernel, const Instruction& instruction, isa::SimtModel simt,
                    DecodedInstruction& decoded) {
    const int source = isa::member_source(instruction);
    if (source < 0) { return; }
    decoded.action = simt == isa::SimtModel::stack ? Action::converged : Action::meeting;
    decoded.members = row_of(kernel, instruction.source[source]) * isa::kWarpSize;
}

/// Only hand-made kernels can violate it: the finaliser's are verified.
void check_vector_alignment(const isa::Kernel& kernel, const Instruction& instruction) {
    const auto check = [&](const char* what, std::uint32_t first, std::uint32_t rows) {
        if (rows < isa::kVectorMemoryAlignment || first % isa::kVectorMemoryAlignment == 0) { return; }
        throw InputError(kernel.source_file + ":" + std::to_string(instruction.line) + ": kernel " + kernel.name +
                         ": a vector memory instruction has its " + what + " in registers from R" +
                         std::to_string(first) + " on; the first must be a multiple of " +
                         std::to_string(isa::kVectorMemoryAlignment));
    };
    check("result", instruction.destination, instruction.destination_rows);
    for (const isa::Operand& operand : instruction.source) {
        if (operand.kind == isa::Operand::Kind::reg) { check("data or indices", operand.index, operand.rows); }
    }
}

DecodedInstruction decode(const isa::Kernel& kernel, const Instruction& instruction, isa::SimtModel simt) {
    DecodedInstruction decoded;
    decoded.instruction = &instruction;
    decoded.action = action_of(instruction);
    if (isa::is_memory(instruction.operation)) {
        decoded.lane_bytes = static_cast<std::uint8_t>(isa::lane_bytes(instruction));
    }
    if (isa::is_vector_memory(instruction.operation)) {
        decoded.lane_bytes = static_cast<std::uint8_t>(isa::type_bytes(instruction.type));
        check_vector_alignment(kernel, instruction);
    }
    decode_predicates(instruction, decoded);
    decode_rows(kernel, instruction, decoded);
    const bool computes = decoded.action == Action::alu;
    decode_members(kernel, instruction, simt, decoded);
    if (!computes) { return decoded; }
    decoded.handler = isa::select_handler(instruction);
    if (decoded.handler == nullptr) {
        throw InputError(kernel.source_file + ":" + std::to_string(instruction.line) + ": kernel " + kernel.name +
                         ": this instruction is not supported");
    }
    return decoded;
}

}  // namespace

bool dequeues(const isa::Kernel& kernel) {
    return std::ranges::any_of(kernel.code, [](const Instruction& instruction) {
        return instruction.dequeues || instruction.operation == Operation::dequeue;
    });
}

std::vector<DecodedInstruction> decode(const isa::Kernel& kernel, isa::SimtModel simt) {
    std::vector<DecodedInstruction> code;
    code.reserve(kernel.code.size());
    for (const Instruction& instruction : kernel.code) { code.push_back(decode(kernel, instruction, simt)); }
    return code;
}

}  // namespace lookahead
