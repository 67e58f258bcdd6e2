#include "components/frontend/finaliser/lower/lower.h"
#include "components/isa/modes.h"

namespace lookahead::finaliser {

namespace {

void lower_bitwise(LoweringContext& context, Operation operation, std::uint8_t mode) {
    VirtualInstruction result = context.make_with_sources(operation, context.type());
    result.machine.mode = mode;
    context.emit_result(result);
}

/// and, or, xor and not of numbers or predicates.
void lower_logic(LoweringContext& context, Operation bits, Operation predicates) {
    if (context.type() != Type::pred) { return lower_bitwise(context, bits, 0); }
    VirtualInstruction result = context.make(predicates, Type::pred);
    std::size_t i = 0;
    for (const ptx::Operand& operand : context.instruction().sources()) {
        result.source_predicate[i++] = context.predicate_source(operand);
    }
    result.destination_predicate[0] = context.predicate_destination(context.destination());
    context.emit(result);
}

void lower_lop3(LoweringContext& context) {
    const ptx::Operand& table = context.instruction().sources()[3];
    if (table.kind != ptx::OperandKind::immediate) { context.refuse("lop3's table must be a number"); }
    VirtualInstruction result = context.make_with_sources(Operation::lop3, context.type(), 3);
    result.machine.mode = static_cast<std::uint8_t>(table.value);
    context.emit_result(result);
}

void lower_shf(LoweringContext& context) {
    const ptx::Modifiers& modifiers = context.modifiers();
    const auto mode = modifiers.overflow == ptx::ShiftOverflow::wrap ? isa::ShiftMode::wrap : isa::ShiftMode::clamp;
    lower_bitwise(context, modifiers.direction == ptx::ShiftDirection::left ? Operation::shf_l : Operation::shf_r,
                  static_cast<std::uint8_t>(mode));
}

void lower_bfind(LoweringContext& context) {
    const bool shift = context.modifiers().shift_amount;
    lower_bitwise(context, Operation::bfind,
                  static_cast<std::uint8_t>(shift ? isa::FindMode::shift_amount : isa::FindMode::position));
}

void lower_prmt(LoweringContext& context) {
    lower_bitwise(context, Operation::prmt, static_cast<std::uint8_t>(context.modifiers().permute));
}

/// bfi has four operands, but the machine only three: position and length are packed into bytes 0 and 1 of one.
void lower_bfi(LoweringContext& context) {
    const auto sources = context.instruction().sources();
    VirtualInstruction result = context.make_with_sources(Operation::bfi, context.type(), 2);
    const bool known = sources[2].kind == ptx::OperandKind::immediate && sources[3].kind == ptx::OperandKind::immediate;
    result.source[2] = known ? context.literal((sources[2].value & 0xff) | (sources[3].value & 0xff) << 8)
                             : context.value(Operation::prmt, Type::b32,
                                             {context.source(2), context.source(3), context.literal(0x0040)});
    context.emit_result(result);
}

/// bmsk d, a, b: b ones from bit a on, ((1 << b) - 1) << a; a shift by 32 or more gives 0. `.wrap`: both modulo 32.
void lower_bmsk(LoweringContext& context) {
    VirtualOperand amounts[2];
    for (std::size_t i = 0; i < 2; ++i) {
        amounts[i] = context.source(i);
        if (context.modifiers().overflow == ptx::ShiftOverflow::wrap) {
            amounts[i] = context.value(Operation::bit_and, Type::b32, {amounts[i], context.literal(31)});
        }
    }
    const VirtualOperand beyond = context.value(Operation::shl, Type::b32, {context.literal(1), amounts[1]});
    const VirtualOperand ones =
        context.emit_temporary(context.make(Operation::add, Type::u32, {beyond, context.literal(0xffffffffU)}), 1);
    context.emit_result(context.make(Operation::shl, Type::b32, {ones, amounts[0]}));
}

/// Appends instructions on words, for sequences of them.
class Words {
  public:
    explicit Words(LoweringContext& context) : context_(context) {}

    VirtualOperand number(std::uint32_t value) { return context_.literal(value); }
    VirtualOperand make(Operation operation, Type type, VirtualOperand a, VirtualOperand b = {}) {
        return context_.emit_temporary(context_.make(operation, type, {a, b}), 1);
    }
    PredicateUse test(isa::Comparison comparison, Type type, VirtualOperand a, VirtualOperand b) {
        return context_.test(comparison, type, a, b);
    }
    VirtualInstruction choice(PredicateUse condition, VirtualOperand yes, VirtualOperand no) {
        VirtualInstruction choice = context_.make(Operation::select, Type::b32, {yes, no});
        choice.source_predicate[0] = condition;
        return choice;
    }
    VirtualOperand pick(PredicateUse condition, VirtualOperand yes, VirtualOperand no) {
        return context_.emit_temporary(choice(condition, yes, no), 1);
    }

  private:
    LoweringContext& context_;
};

/// fns d, mask, base, n: the position of the mask's n-th one, counted upwards from bit `base`, or downwards for a
/// negative n; for n = 0, the bit at `base` if it is one. All ones if there is none. GPUs have no instruction for it
/// either. Searches by halves: if the lower half has too few ones, the wanted one is in the upper half.
void lower_fns(LoweringContext& context) {
    const VirtualOperand mask = context.source(0), base = context.source(1), n = context.source(2);
    Words words(context);
    const PredicateUse down = words.test(isa::Comparison::lt, Type::s32, n, words.number(0));
    const PredicateUse at_base = words.test(isa::Comparison::eq, Type::s32, n, words.number(0));
    const VirtualOperand bits = words.pick(down, words.make(Operation::brev, Type::b32, mask), mask);
    const VirtualOperand first = words.pick(down, words.make(Operation::sub, Type::u32, words.number(31), base), base);
    const VirtualOperand ones = words.pick(at_base, words.number(1), words.number(~0U));
    VirtualOperand window =
        words.make(Operation::bit_and, Type::b32, bits, words.make(Operation::shl, Type::b32, ones, first));
    VirtualOperand wanted =
        words.make(Operation::max, Type::u32, words.make(Operation::abs, Type::s32, n), words.number(1));
    const PredicateUse found =
        words.test(isa::Comparison::ge, Type::u32, words.make(Operation::popc, Type::b32, window), wanted);
    VirtualOperand position = words.number(0);
    for (std::uint32_t half = 16; half != 0; half /= 2) {
        const VirtualOperand lower = words.make(Operation::bit_and, Type::b32, window, words.number((1U << half) - 1));
        const VirtualOperand below = words.make(Operation::popc, Type::b32, lower);
        const PredicateUse above = words.test(isa::Comparison::gt, Type::u32, wanted, below);
        wanted = words.pick(above, words.make(Operation::sub, Type::u32, wanted, below), wanted);
        window = words.pick(above, words.make(Operation::shr, Type::u32, window, words.number(half)), window);
        position = words.pick(above, words.make(Operation::add, Type::u32, position, words.number(half)), position);
    }
    const VirtualOperand result =
        words.pick(down, words.make(Operation::sub, Type::u32, words.number(31), position), position);
    context.emit_result(words.choice(found, result, words.number(~0U)));
}

/// copysign d, a, b: the sign of a and the rest of b, merged in the high word by (a & mask) | (b & ~mask).
void lower_copysign(LoweringContext& context) {
    const Type type = context.type();
    if (type != Type::f32 && type != Type::f64) { context.refuse("copysign is supported only for f32 and f64"); }
    const unsigned rows = isa::type_rows(type);
    const VirtualOperand sign = context.source(0), rest = context.source(1);
    VirtualInstruction merge = new_instruction(
        Operation::lop3, Type::b32, {part(sign, rows - 1), part(rest, rows - 1), context.literal(0x80000000U)});
    merge.machine.mode = (0xF0 & 0xAA) | (0xCC & ~0xAA & 0xff);
    if (rows == 1) { return context.emit_result(merge); }
    // Both words are computed first, because the destination may be one of the sources.
    const VirtualOperand high = context.emit_temporary(merge, 1);
    const std::uint32_t pair = context.kernel.new_rows(2);
    context.emit_copy(part(rest, 0), pair);
    context.emit_copy(high, pair + 1);
    context.emit_result(context.make(Operation::mov, Type::b64, {register_rows(pair, 2)}));
}

/// cnot: 1 if the source is 0, else 0.
void lower_cnot(LoweringContext& context) {
    const unsigned rows = isa::type_rows(context.type());
    const VirtualOperand value = context.source(0), zero = context.literal(0, rows);
    const PredicateUse is_zero = context.test(isa::Comparison::eq, context.type(), value, zero);
    VirtualInstruction pick =
        context.make(Operation::select, rows == 2 ? Type::b64 : Type::b32, {context.literal(1, rows), zero});
    pick.source_predicate[0] = is_zero;
    context.emit_result(pick);
}

constexpr Lowering kBitOperations[] = {
    {Opcode::and_, with<lower_logic, Operation::bit_and, Operation::pred_and>},
    {Opcode::or_, with<lower_logic, Operation::bit_or, Operation::pred_or>},
    {Opcode::xor_, with<lower_logic, Operation::bit_xor, Operation::pred_xor>},
    {Opcode::not_, with<lower_logic, Operation::bit_not, Operation::pred_not>},
    {Opcode::shl, with<lower_bitwise, Operation::shl, 0>},
    {Opcode::shr, with<lower_bitwise, Operation::shr, 0>},
    {Opcode::shf, lower_shf},
    {Opcode::lop3, lower_lop3},
    {Opcode::bfe, with<lower_bitwise, Operation::bfe, 0>},
    {Opcode::bfi, lower_bfi},
    {Opcode::bmsk, lower_bmsk},
    {Opcode::bfind, lower_bfind},
    {Opcode::fns, lower_fns},
    {Opcode::brev, with<lower_bitwise, Operation::brev, 0>},
    {Opcode::clz, with<lower_bitwise, Operation::clz, 0>},
    {Opcode::popc, with<lower_bitwise, Operation::popc, 0>},
    {Opcode::prmt, lower_prmt},
    {Opcode::copysign, lower_copysign},
    {Opcode::cnot, lower_cnot},
};

}  // namespace

constinit const std::span<const Lowering> kBitLowerings = kBitOperations;

}  // namespace lookahead::finaliser
