#include "components/emulator/decoded_kernel.h"

#include <algorithm>

#include "components/isa/memory_access.h"
#include "core/error/error.h"

namespace lookahead {
namespace {

using isa::Instruction;
using isa::Operation;

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

void decode_rows(const isa::Kernel& kernel, const Instruction& instruction, EmulatedInstruction& decoded) {
    const auto words = [](std::uint32_t row) { return row * isa::kWarpSize; };
    decoded.destination = words(instruction.destination);
    for (unsigned i = 0; i < 4; ++i) { decoded.source[i] = words(row_of(kernel, instruction.source[i])); }
    decoded.member_row = words(row_of(kernel, instruction.source[decoded.members]));
    if (!instruction.dequeues || !isa::is_memory(instruction.operation)) { return; }
    const std::uint32_t dequeued = kernel.registers + kernel.constant_rows();
    decoded.source[0] = words(dequeued);
}

/// Checks the alignment of vector operands. Only hand-made kernels can violate it: the finaliser's are verified.
void check_vector_alignment(const isa::Kernel& kernel, const Instruction& instruction) {
    const auto check = [&](const char* what, std::uint32_t first, std::uint32_t rows) {
        if (rows < isa::kVectorMemoryAlignment || first % isa::kVectorMemoryAlignment == 0) { return; }
        throw InputError(
            "{}:{}: kernel {}: a vector memory instruction has its {} in registers from R{} on; the first must be a "
            "multiple of {}",
            kernel.source_file, instruction.line, kernel.name, what, first, isa::kVectorMemoryAlignment);
    };
    check("result", instruction.destination, instruction.destination_rows);
    for (const isa::Operand& operand : instruction.source) {
        if (operand.kind == isa::Operand::Kind::reg) { check("data or indices", operand.index, operand.rows); }
    }
}

EmulatedInstruction decode(const isa::Kernel& kernel, const Instruction& instruction, isa::SimtModel simt) {
    EmulatedInstruction decoded{isa::decode(instruction, simt)};
    if (isa::lacks_handler(decoded)) {
        throw InputError("{}:{}: kernel {}: this instruction is not supported", kernel.source_file, instruction.line,
                         kernel.name);
    }
    if (instruction.operation == Operation::bra && instruction.dequeues) { decoded.action = isa::Action::queue; }
    if (isa::is_memory(instruction.operation)) {
        decoded.lane_bytes = static_cast<std::uint8_t>(isa::lane_bytes(instruction));
    }
    if (isa::is_vector_memory(instruction.operation)) {
        decoded.lane_bytes = static_cast<std::uint8_t>(isa::type_bytes(instruction.type));
        check_vector_alignment(kernel, instruction);
    }
    decode_rows(kernel, instruction, decoded);
    return decoded;
}

}  // namespace

bool dequeues(const isa::Kernel& kernel) {
    return std::ranges::any_of(kernel.code, [](const Instruction& instruction) {
        return instruction.dequeues || instruction.operation == Operation::dequeue;
    });
}

std::vector<EmulatedInstruction> decode(const isa::Kernel& kernel, isa::SimtModel simt) {
    std::vector<EmulatedInstruction> code;
    code.reserve(kernel.code.size());
    for (const Instruction& instruction : kernel.code) { code.push_back(decode(kernel, instruction, simt)); }
    return code;
}

}  // namespace lookahead
