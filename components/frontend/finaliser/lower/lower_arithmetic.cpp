#include "components/frontend/finaliser/lower/lower.h"
#include "components/isa/modes.h"

namespace lookahead::finaliser {

namespace {

/// `rounds`: sum, difference, product and fma of floats round to nearest unless they say otherwise (PTX ISA,
/// "Rounding").
void lower_plain(LoweringContext& context, Operation operation, bool rounds) {
    VirtualInstruction result = context.make_with_sources(operation, context.type());
    if (rounds && ptx::is_floating(context.type()) && result.machine.rounding == isa::Rounding::none) {
        result.machine.rounding = isa::Rounding::rn;
    }
    context.emit_result(result);
}

/// a + b or a - b, with a carry in or a carry out.
void lower_carry(LoweringContext& context, Operation operation, bool takes_carry, VirtualOperand a, VirtualOperand b) {
    VirtualInstruction result = context.make(operation, context.type(), {a, b});
    const bool none_is_set = operation == Operation::sub_borrow;  // no borrow
    result.source_predicate[0] =
        takes_carry ? PredicateUse{context.carry(), false} : PredicateUse{kAlways, !none_is_set};
    if (context.modifiers().carry_out) { result.destination_predicate[0] = context.carry(); }
    context.emit_result(result);
}

void lower_sum(LoweringContext& context, Operation plain, Operation with_carry, bool takes_carry) {
    if (!takes_carry && !context.modifiers().carry_out) { return lower_plain(context, plain, true); }
    const VirtualOperand a = context.source(0);
    lower_carry(context, with_carry, takes_carry, a, context.source(1));
}

/// mad.cc and madc: the carry is that of the addition.
void lower_mad_with_carry(LoweringContext& context, bool takes_carry) {
    const bool high = context.modifiers().mul_mode == ptx::MulMode::hi;
    const VirtualOperand a = context.source(0), b = context.source(1);
    const VirtualOperand product = context.value(high ? Operation::mul_hi : Operation::mul_lo, context.type(), {a, b});
    lower_carry(context, Operation::add_carry, takes_carry, product, context.source(2));
}

void lower_dot(LoweringContext& context, Operation operation) {
    VirtualInstruction result = context.make_with_sources(operation, Type::b32);
    if (ptx::is_signed(context.modifiers().types[0])) { result.machine.mode |= isa::kDotFirstSigned; }
    if (ptx::is_signed(context.modifiers().types[1])) { result.machine.mode |= isa::kDotSecondSigned; }
    if (context.modifiers().upper_half) {
        result.machine.mode |= isa::kDotUpperHalf;  // dp2a only
    }
    context.emit_result(result);
}

/// vabsdiff4 and vabsdiff2 d, a, b, c: all bytes are written, so c matters for the sum only.
void lower_abs_diff(LoweringContext& context) {
    const ptx::Instruction& instruction = context.instruction();
    VirtualInstruction result = context.make_with_sources(Operation::abs_diff, Type::b32);
    if (ptx::is_signed(instruction.modifiers.types[1])) { result.machine.mode |= isa::kDotFirstSigned; }
    if (ptx::is_signed(instruction.modifiers.types[2])) { result.machine.mode |= isa::kDotSecondSigned; }
    if (ptx::is_signed(instruction.modifiers.types[0])) { result.machine.mode |= isa::kDiffResultSigned; }
    if (instruction.modifiers.accumulate) { result.machine.mode |= isa::kDiffSum; }
    if (instruction.opcode == Opcode::vabsdiff2) { result.machine.mode |= isa::kDiffHalves; }
    context.emit_result(result);
}

/// mul24 and mad24: the product of the low 24 bits has 48 bits, of which .lo takes the low and .hi the high 32.
void lower_mul24(LoweringContext& context, bool adds) {
    const Type type = context.type();
    if (context.modifiers().saturate) { context.refuse("mad24 with .sat is not supported"); }
    const auto low_bits = [&](std::size_t i) {
        return context.value(Operation::bfe, type, {context.source(i), context.literal(0), context.literal(24)});
    };
    const VirtualOperand a = low_bits(0), b = low_bits(1);
    VirtualOperand product;
    if (context.modifiers().mul_mode == ptx::MulMode::hi) {
        VirtualInstruction wide = new_instruction(Operation::mul_wide, ptx::with_bits(type, 64), {a, b});
        wide.machine.source_type = type;
        const VirtualOperand whole = context.emit_temporary(wide, 2);
        product = part(context.value(Operation::shr, Type::u64, {whole, context.literal(16)}), 0);
    } else {
        product = context.value(Operation::mul_lo, type, {a, b});
    }
    const VirtualOperand addend = adds ? context.source(2) : context.literal(0);
    context.emit_result(context.make(Operation::add, type, {product, addend}));
}

void lower_product(LoweringContext& context, Operation lo, Operation hi, Operation wide, Operation floating) {
    const ptx::MulMode mode = context.modifiers().mul_mode;
    if (context.modifiers().carry_out) { return lower_mad_with_carry(context, false); }
    if (ptx::is_floating(context.type())) { return lower_plain(context, floating, true); }
    if (mode != ptx::MulMode::wide) { return lower_plain(context, mode == ptx::MulMode::hi ? hi : lo, false); }
    VirtualInstruction result = context.make_with_sources(wide, context.destination().type);
    result.machine.source_type = context.type();
    context.emit_result(result);
}

/// sad: c + |a - b|, exact as max - min.
void lower_sad(LoweringContext& context) {
    const Type type = context.type();
    const VirtualOperand a = context.source(0), b = context.source(1);
    const VirtualOperand high = context.value(Operation::max, type, {a, b});
    const VirtualOperand low = context.value(Operation::min, type, {a, b});
    const VirtualOperand c = context.source(2);
    const VirtualOperand difference = context.value(Operation::sub, type, {high, low});
    context.emit_result(context.make(Operation::add, type, {c, difference}));
}

constexpr Lowering kArithmetic[] = {
    {Opcode::add, with<lower_sum, Operation::add, Operation::add_carry, false>},
    {Opcode::addc, with<lower_sum, Operation::add, Operation::add_carry, true>},
    {Opcode::sub, with<lower_sum, Operation::sub, Operation::sub_borrow, false>},
    {Opcode::subc, with<lower_sum, Operation::sub, Operation::sub_borrow, true>},
    {Opcode::madc, with<lower_mad_with_carry, true>},
    {Opcode::dp4a, with<lower_dot, Operation::dot4>},
    {Opcode::dp2a, with<lower_dot, Operation::dot2>},
    {Opcode::vabsdiff2, lower_abs_diff},
    {Opcode::vabsdiff4, lower_abs_diff},
    {Opcode::mul24, with<lower_mul24, false>},
    {Opcode::mad24, with<lower_mul24, true>},
    {Opcode::mul, with<lower_product, Operation::mul_lo, Operation::mul_hi, Operation::mul_wide, Operation::mul_lo>},
    {Opcode::mad, with<lower_product, Operation::mad_lo, Operation::mad_hi, Operation::mad_wide, Operation::fma>},
    {Opcode::fma, with<lower_plain, Operation::fma, true>},
    {Opcode::div, with<lower_plain, Operation::div, false>},
    {Opcode::rem, with<lower_plain, Operation::rem, false>},
    {Opcode::neg, with<lower_plain, Operation::neg, false>},
    {Opcode::abs, with<lower_plain, Operation::abs, false>},
    {Opcode::min, with<lower_plain, Operation::min, false>},
    {Opcode::max, with<lower_plain, Operation::max, false>},
    {Opcode::sqrt, with<lower_plain, Operation::sqrt, false>},
    {Opcode::rcp, with<lower_plain, Operation::rcp, false>},
    {Opcode::rsqrt, with<lower_plain, Operation::rsqrt, false>},
    {Opcode::ex2, with<lower_plain, Operation::ex2, false>},
    {Opcode::lg2, with<lower_plain, Operation::lg2, false>},
    {Opcode::sin, with<lower_plain, Operation::sin, false>},
    {Opcode::cos, with<lower_plain, Operation::cos, false>},
    {Opcode::tanh, with<lower_plain, Operation::tanh, false>},
    {Opcode::sad, lower_sad},
};

}  // namespace

constinit const std::span<const Lowering> kArithmeticLowerings = kArithmetic;

}  // namespace lookahead::finaliser
