#include "components/frontend/finaliser/simplify/simplify.h"

#include <optional>

#include "components/frontend/finaliser/code/literals.h"

namespace lookahead::finaliser {

namespace {

/// The operand that equals the whole result, if one operand is the operation's neutral element.
std::optional<VirtualOperand> unchanged(const VirtualInstruction& instruction, std::optional<std::uint64_t> a,
                                        std::optional<std::uint64_t> b) {
    switch (instruction.machine.operation) {
        case Operation::add:
        case Operation::bit_or:
        case Operation::bit_xor:
            if (a == 0U) { return instruction.source[1]; }
            [[fallthrough]];
        case Operation::sub:
        case Operation::shl:
        case Operation::shr:
            if (b == 0U) { return instruction.source[0]; }
            return std::nullopt;
        case Operation::mul_lo:
            if (a == 1U) { return instruction.source[1]; }
            if (b == 1U) { return instruction.source[0]; }
            return std::nullopt;
        default:
            return std::nullopt;
    }
}

/// The result for two literals, exact in the low 64 bits and so in the low 32.
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

/// a * b + 0 is a product, 1 * b + c a sum.
bool fold_mad(const isa::KernelFrame& frame, VirtualInstruction& mad) {
    const auto is = [&](std::size_t i, std::uint64_t value) { return literal_value(frame, mad.source[i]) == value; };
    const bool no_addend = is(2, 0);
    const std::size_t neutral = is(0, 1) ? 0 : is(1, 1) ? 1 : 2;
    if (!no_addend && neutral == 2) { return false; }
    mad.machine.operation = no_addend ? Operation::mul_lo : Operation::add;
    if (!no_addend) { mad.source[neutral] = mad.source[2]; }
    mad.source[2] = {};
    return true;
}

bool fold(VirtualKernel& kernel, VirtualInstruction& instruction) {
    const isa::Type type = instruction.machine.type;
    if (!isa::is_word_or_pair(type) || instruction.machine.saturate) { return false; }
    if (instruction.machine.operation == Operation::mad_lo) { return fold_mad(kernel.frame, instruction); }
    const unsigned rows = isa::type_rows(type);
    const auto a = literal_value(kernel.frame, instruction.source[0]);
    const auto b = literal_value(kernel.frame, instruction.source[1]);
    std::optional<VirtualOperand> value = unchanged(instruction, a, b);
    if (!value && a && b) {
        if (const auto bits = computed(instruction.machine.operation, *a, *b, rows * 32)) {
            value = literal(kernel.frame, *bits, rows);
        }
    }
    if (!value) { return false; }
    instruction.source = {*value, {}, {}};
    instruction.machine.operation = Operation::mov;
    instruction.machine.type = rows == 2 ? isa::Type::b64 : isa::Type::b32;
    return true;
}

}  // namespace

bool fold_constants(VirtualKernel& kernel) {
    bool changed = false;
    for_each_instruction(kernel, [&](VirtualInstruction& instruction) { changed |= fold(kernel, instruction); });
    return changed;
}

}  // namespace lookahead::finaliser
