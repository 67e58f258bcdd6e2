#include "components/frontend/finaliser/lower/lower.h"
#include "components/isa/modes.h"

namespace lookahead::finaliser {

using isa::Operation;
using ptx::Opcode;
using ptx::Type;

namespace {

/// Sum, difference, product and fma of floats round to nearest unless they say otherwise (PTX ISA, "Rounding").
void default_to_nearest(VirtualInstruction& result, Type type) {
    if (ptx::is_floating(type) && result.machine.rounding == isa::Rounding::none)
        result.machine.rounding = isa::Rounding::rn;
}

void lower_plain(LoweringContext& context, Operation operation, bool rounds = false) {
    const ptx::Instruction& instruction = context.instruction();
    VirtualInstruction result = context.make_with_sources(operation, instruction.type());
    if (rounds) default_to_nearest(result, instruction.type());
    context.emit_to(instruction.destinations()[0], result);
}

/// a + b or a - b, with the carry that comes in or goes out.
void lower_carry(LoweringContext& context, Operation operation, bool takes_carry, VirtualOperand a, VirtualOperand b) {
    const ptx::Instruction& instruction = context.instruction();
    VirtualInstruction result = context.make(operation, instruction.type());
    result.source = {a, b, {}};
    const bool none_is_set = operation == Operation::sub_borrow;  // nothing is borrowed
    result.source_predicate[0] =
        takes_carry ? PredicateUse{context.carry(), false} : PredicateUse{kAlways, !none_is_set};
    if (instruction.modifiers.carry_out) result.destination_predicate[0] = context.carry();
    context.emit_to(instruction.destinations()[0], result);
}

void lower_sum(LoweringContext& context, Operation plain, Operation with_carry, bool takes_carry) {
    const ptx::Instruction& instruction = context.instruction();
    if (!takes_carry && !instruction.modifiers.carry_out) return lower_plain(context, plain, true);
    const VirtualOperand a = context.source(instruction.sources()[0]);
    lower_carry(context, with_carry, takes_carry, a, context.source(instruction.sources()[1]));
}

/// mad.cc and madc: the carry is that of the addition.
void lower_mad_with_carry(LoweringContext& context, bool takes_carry) {
    const ptx::Instruction& instruction = context.instruction();
    const bool high = instruction.modifiers.mul_mode == ptx::MulMode::hi;
    const VirtualOperand a = context.source(instruction.sources()[0]);
    const VirtualOperand b = context.source(instruction.sources()[1]);
    const VirtualOperand product =
        context.value(high ? Operation::mul_hi : Operation::mul_lo, instruction.type(), {a, b});
    lower_carry(context, Operation::add_carry, takes_carry, product, context.source(instruction.sources()[2]));
}

void lower_dot(LoweringContext& context, Operation operation) {
    const ptx::Instruction& instruction = context.instruction();
    VirtualInstruction result = context.make_with_sources(operation, Type::b32);
    if (ptx::is_signed(instruction.modifiers.types[0])) result.machine.mode |= isa::kDotFirstSigned;
    if (ptx::is_signed(instruction.modifiers.types[1])) result.machine.mode |= isa::kDotSecondSigned;
    if (instruction.modifiers.upper_half) result.machine.mode |= isa::kDotUpperHalf;  // of dp2a alone
    context.emit_to(instruction.destinations()[0], result);
}

/// vabsdiff4 and vabsdiff2 d, a, b, c: all bytes are written, so that c counts for the sum only.
void lower_abs_diff(LoweringContext& context) {
    const ptx::Instruction& instruction = context.instruction();
    VirtualInstruction result = context.make_with_sources(Operation::abs_diff, Type::b32);
    if (ptx::is_signed(instruction.modifiers.types[1])) result.machine.mode |= isa::kDotFirstSigned;
    if (ptx::is_signed(instruction.modifiers.types[2])) result.machine.mode |= isa::kDotSecondSigned;
    if (ptx::is_signed(instruction.modifiers.types[0])) result.machine.mode |= isa::kDiffResultSigned;
    if (instruction.modifiers.accumulate) result.machine.mode |= isa::kDiffSum;
    if (instruction.opcode == Opcode::vabsdiff2) result.machine.mode |= isa::kDiffHalves;
    context.emit_to(instruction.destinations()[0], result);
}

/// mul24 and mad24: the product of the low 24 bits has 48, of which .lo takes the low and .hi the high 32.
void lower_mul24(LoweringContext& context, bool adds) {
    const ptx::Instruction& instruction = context.instruction();
    const Type type = instruction.type();
    if (instruction.modifiers.saturate) context.refuse("mad24 with .sat is not supported");
    const auto low_bits = [&](std::size_t i) {
        return context.value(Operation::bfe, type,
                             {context.source(instruction.sources()[i]), context.literal(0), context.literal(24)});
    };
    const VirtualOperand a = low_bits(0);
    const VirtualOperand b = low_bits(1);
    VirtualOperand product;
    if (instruction.modifiers.mul_mode == ptx::MulMode::hi) {
        VirtualInstruction wide;
        wide.machine.operation = Operation::mul_wide;
        wide.machine.type = ptx::with_bits(type, 64);
        wide.machine.source_type = type;
        wide.source = {a, b, {}};
        const VirtualOperand whole = context.emit_temporary(wide, 2);
        product = part(context.value(Operation::shr, Type::u64, {whole, context.literal(16)}), 0);
    } else {
        product = context.value(Operation::mul_lo, type, {a, b});
    }
    VirtualInstruction result = context.make(Operation::add, type);
    result.source = {product, adds ? context.source(instruction.sources()[2]) : context.literal(0), {}};
    context.emit_to(instruction.destinations()[0], result);
}

void lower_mul_or_mad(LoweringContext& context, Operation lo, Operation hi, Operation wide, Operation floating) {
    const ptx::Instruction& instruction = context.instruction();
    if (instruction.modifiers.carry_out) return lower_mad_with_carry(context, false);
    if (ptx::is_floating(instruction.type())) return lower_plain(context, floating, true);
    switch (instruction.modifiers.mul_mode) {
        case ptx::MulMode::hi:
            return lower_plain(context, hi);
        case ptx::MulMode::wide: {
            const ptx::Operand& destination = instruction.destinations()[0];
            VirtualInstruction result = context.make_with_sources(wide, destination.type);
            result.machine.source_type = instruction.type();
            return context.emit_to(destination, result);
        }
        default:
            return lower_plain(context, lo);
    }
}

/// sad: c + |a - b|, exact as max - min.
void lower_sad(LoweringContext& context) {
    const ptx::Instruction& instruction = context.instruction();
    const Type type = instruction.type();
    const VirtualOperand a = context.source(instruction.sources()[0]);
    const VirtualOperand b = context.source(instruction.sources()[1]);
    const VirtualOperand high = context.value(Operation::max, type, {a, b});
    const VirtualOperand low = context.value(Operation::min, type, {a, b});
    VirtualInstruction sum = context.make(Operation::add, type);
    sum.source[0] = context.source(instruction.sources()[2]);
    sum.source[1] = context.value(Operation::sub, type, {high, low});
    context.emit_to(instruction.destinations()[0], sum);
}

}  // namespace

bool lower_arithmetic(LoweringContext& context) {
    switch (context.instruction().opcode) {
        case Opcode::add:
            lower_sum(context, Operation::add, Operation::add_carry, false);
            return true;
        case Opcode::addc:
            lower_sum(context, Operation::add, Operation::add_carry, true);
            return true;
        case Opcode::sub:
            lower_sum(context, Operation::sub, Operation::sub_borrow, false);
            return true;
        case Opcode::subc:
            lower_sum(context, Operation::sub, Operation::sub_borrow, true);
            return true;
        case Opcode::madc:
            lower_mad_with_carry(context, true);
            return true;
        case Opcode::dp4a:
            lower_dot(context, Operation::dot4);
            return true;
        case Opcode::dp2a:
            lower_dot(context, Operation::dot2);
            return true;
        case Opcode::vabsdiff2:
        case Opcode::vabsdiff4:
            lower_abs_diff(context);
            return true;
        case Opcode::mul24:
            lower_mul24(context, false);
            return true;
        case Opcode::mad24:
            lower_mul24(context, true);
            return true;
        case Opcode::mul:
            lower_mul_or_mad(context, Operation::mul_lo, Operation::mul_hi, Operation::mul_wide, Operation::mul_lo);
            return true;
        case Opcode::mad:
            lower_mul_or_mad(context, Operation::mad_lo, Operation::mad_hi, Operation::mad_wide, Operation::fma);
            return true;
        case Opcode::fma:
            lower_plain(context, Operation::fma, true);
            return true;
        case Opcode::div:
            lower_plain(context, Operation::div);
            return true;
        case Opcode::rem:
            lower_plain(context, Operation::rem);
            return true;
        case Opcode::neg:
            lower_plain(context, Operation::neg);
            return true;
        case Opcode::abs:
            lower_plain(context, Operation::abs);
            return true;
        case Opcode::min:
            lower_plain(context, Operation::min);
            return true;
        case Opcode::max:
            lower_plain(context, Operation::max);
            return true;
        case Opcode::sqrt:
            lower_plain(context, Operation::sqrt);
            return true;
        case Opcode::rcp:
            lower_plain(context, Operation::rcp);
            return true;
        case Opcode::rsqrt:
            lower_plain(context, Operation::rsqrt);
            return true;
        case Opcode::ex2:
            lower_plain(context, Operation::ex2);
            return true;
        case Opcode::lg2:
            lower_plain(context, Operation::lg2);
            return true;
        case Opcode::sin:
            lower_plain(context, Operation::sin);
            return true;
        case Opcode::cos:
            lower_plain(context, Operation::cos);
            return true;
        case Opcode::tanh:
            lower_plain(context, Operation::tanh);
            return true;
        case Opcode::sad:
            lower_sad(context);
            return true;
        default:
            return false;
    }
}

}  // namespace lookahead::finaliser
