#include "components/frontend/finaliser/fold.h"

#include <optional>

#include "components/frontend/finaliser/literals.h"

namespace lookahead::finaliser {

using isa::Operand;
using isa::Operation;

namespace {

/// The value of an operand that is a literal, from its low word on.
std::optional<std::uint64_t> literal_value(const isa::Kernel& frame, const VirtualOperand& operand) {
    if (operand.kind != Operand::Kind::constant || operand.rows == 0 || operand.rows > 2) return std::nullopt;
    const auto zero_row = static_cast<std::uint32_t>(isa::LaunchRow::zero);
    if (operand.rows == 1 && operand.index == zero_row) return 0;
    if (operand.index < frame.first_literal_row()) return std::nullopt;
    const std::uint32_t first = operand.index - frame.first_literal_row();
    std::uint64_t value = frame.literals[first];
    if (operand.rows == 2) value |= std::uint64_t{frame.literals[first + 1]} << 32;
    return value;
}

bool is_wide_integer(isa::Type type) {
    switch (type) {
        case isa::Type::b32:
        case isa::Type::u32:
        case isa::Type::s32:
        case isa::Type::b64:
        case isa::Type::u64:
        case isa::Type::s64:
            return true;
        default:
            return false;
    }
}

/// The operand that equals the whole result, if one operand is the operation's neutral element.
std::optional<VirtualOperand> unchanged(const VirtualInstruction& instruction, std::optional<std::uint64_t> a,
                                        std::optional<std::uint64_t> b) {
    switch (instruction.machine.operation) {
        case Operation::add:
        case Operation::bit_or:
        case Operation::bit_xor:
            if (a == 0U) return instruction.source[1];
            [[fallthrough]];
        case Operation::sub:
        case Operation::shl:
        case Operation::shr:
            if (b == 0U) return instruction.source[0];
            return std::nullopt;
        case Operation::mul_lo:
            if (a == 1U) return instruction.source[1];
            if (b == 1U) return instruction.source[0];
            return std::nullopt;
        default:
            return std::nullopt;
    }
}

/// The result on two literals, exact in the low 64 bits and so in the low 32.
std::optional<std::uint64_t> computed(Operation operation, std::uint64_t a, std::uint64_t b, unsigned bits) {
    switch (operation) {
        case Operation::add:
            return a + b;
        case Operation::sub:
            return a - b;
        case Operation::mul_lo:
            return a * b;
        case Operation::bit_and:
            return a & b;
        case Operation::bit_or:
            return a | b;
        case Operation::bit_xor:
            return a ^ b;
        case Operation::shl:
            return b >= bits ? 0 : a << b;
        default:
            return std::nullopt;
    }
}

bool fold(VirtualKernel& kernel, VirtualInstruction& instruction) {
    if (!is_wide_integer(instruction.machine.type) || instruction.machine.saturate) return false;
    const unsigned rows = isa::type_rows(instruction.machine.type);
    const auto a = literal_value(kernel.frame, instruction.source[0]);
    const auto b = literal_value(kernel.frame, instruction.source[1]);
    std::optional<VirtualOperand> value = unchanged(instruction, a, b);
    if (!value && a && b)
        if (const auto bits = computed(instruction.machine.operation, *a, *b, rows * 32))
            value = literal(kernel.frame, *bits, rows);
    if (!value) return false;
    instruction.source = {*value, {}, {}};
    instruction.machine.operation = Operation::mov;
    instruction.machine.type = rows == 2 ? isa::Type::b64 : isa::Type::b32;
    return true;
}

}  // namespace

bool fold_constants(VirtualKernel& kernel) {
    bool changed = false;
    for (VirtualBlock& block : kernel.blocks)
        for (VirtualInstruction& instruction : block.code) changed |= fold(kernel, instruction);
    return changed;
}

}  // namespace lookahead::finaliser
