#include "components/frontend/finaliser/lower.h"

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
    VirtualInstruction result = context.make(operation, instruction.type());
    if (rounds) default_to_nearest(result, instruction.type());
    std::size_t i = 0;
    for (const ptx::Operand& operand : instruction.sources()) result.source[i++] = context.source(operand);
    context.emit_to(instruction.destinations()[0], result);
}

void refuse_carry(LoweringContext& context) {
    if (context.instruction().modifiers.carry_out)
        context.refuse("the carry (.cc) is not supported; 64-bit arithmetic is");
}

void lower_mul_or_mad(LoweringContext& context, Operation lo, Operation hi, Operation wide, Operation floating) {
    refuse_carry(context);
    const ptx::Instruction& instruction = context.instruction();
    if (ptx::is_floating(instruction.type())) return lower_plain(context, floating, true);
    switch (instruction.modifiers.mul_mode) {
        case ptx::MulMode::hi:
            return lower_plain(context, hi);
        case ptx::MulMode::wide: {
            const ptx::Operand& destination = instruction.destinations()[0];
            VirtualInstruction result = context.make(wide, destination.type);
            result.machine.source_type = machine_type(instruction.type());
            std::size_t i = 0;
            for (const ptx::Operand& operand : instruction.sources()) result.source[i++] = context.source(operand);
            return context.emit_to(destination, result);
        }
        default:
            return lower_plain(context, lo);
    }
}

VirtualOperand binary(LoweringContext& context, Operation operation, Type type, VirtualOperand a, VirtualOperand b) {
    VirtualInstruction result;
    result.machine.operation = operation;
    result.machine.type = machine_type(type);
    result.source[0] = a;
    result.source[1] = b;
    return context.emit_temporary(result, rows_of(type));
}

/// sad: c + |a - b|, exact as max - min.
void lower_sad(LoweringContext& context) {
    const ptx::Instruction& instruction = context.instruction();
    const Type type = instruction.type();
    const VirtualOperand a = context.source(instruction.sources()[0]);
    const VirtualOperand b = context.source(instruction.sources()[1]);
    const VirtualOperand high = binary(context, Operation::max, type, a, b);
    const VirtualOperand low = binary(context, Operation::min, type, a, b);
    VirtualInstruction sum = context.make(Operation::add, type);
    sum.source[0] = context.source(instruction.sources()[2]);
    sum.source[1] = binary(context, Operation::sub, type, high, low);
    context.emit_to(instruction.destinations()[0], sum);
}

}  // namespace

bool lower_arithmetic(LoweringContext& context) {
    switch (context.instruction().opcode) {
        case Opcode::add:
            refuse_carry(context);
            lower_plain(context, Operation::add, true);
            return true;
        case Opcode::sub:
            refuse_carry(context);
            lower_plain(context, Operation::sub, true);
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
