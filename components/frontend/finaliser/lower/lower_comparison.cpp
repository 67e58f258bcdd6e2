#include "components/frontend/finaliser/lower/lower.h"

namespace lookahead::finaliser {

namespace {

isa::Combine machine_combine(ptx::Combine combine) {
    return combine == ptx::Combine::and_   ? isa::Combine::bit_and
           : combine == ptx::Combine::or_  ? isa::Combine::bit_or
           : combine == ptx::Combine::xor_ ? isa::Combine::bit_xor
                                           : isa::Combine::none;
}

/// The common part of setp and set: sources, condition, and the predicate to combine with.
VirtualInstruction compare(LoweringContext& context, Operation operation, Type type) {
    const auto sources = context.instruction().sources();
    VirtualInstruction result = context.make_with_sources(operation, type, 2);
    result.machine.comparison = context.modifiers().comparison;
    result.machine.combine = machine_combine(context.modifiers().combine);
    if (sources.size() > 2) { result.source_predicate[0] = context.predicate_source(sources[2]); }
    return result;
}

void lower_setp(LoweringContext& context) {
    VirtualInstruction result = compare(context, Operation::setp, context.type());
    std::size_t i = 0;
    for (const ptx::Operand& destination : context.instruction().destinations()) {
        if (destination.kind != ptx::OperandKind::sink) {
            result.destination_predicate[i] = context.predicate_destination(destination);
        }
        ++i;
    }
    context.emit(result);
}

void lower_set(LoweringContext& context) {
    VirtualInstruction result = compare(context, Operation::set, context.type());
    result.machine.source_type = context.modifiers().types[1];
    context.emit_result(result);
}

VirtualInstruction select(LoweringContext& context, PredicateUse condition) {
    const Type raw = isa::type_rows(context.type()) == 2 ? Type::b64 : Type::b32;
    VirtualInstruction result = context.make_with_sources(Operation::select, raw, 2);
    result.source_predicate[0] = condition;
    return result;
}

void lower_selp(LoweringContext& context) {
    context.emit_result(select(context, context.predicate_source(context.instruction().sources()[2])));
}

/// slct: the first source if the third is not negative (-0 is not negative, NaN counts as negative).
void lower_slct(LoweringContext& context) {
    const VirtualOperand selector = context.source(2);
    VirtualInstruction pick =
        select(context, context.test(isa::Comparison::ge, context.modifiers().types[1], selector, context.literal(0)));
    pick.machine.flush_to_zero = false;
    context.emit_result(pick);
}

/// testp, on the bits without the sign. Zero counts as a normal number (PTX ISA, testp).
void lower_testp(LoweringContext& context) {
    const bool wide = context.type() == Type::f64;
    const Type type = wide ? Type::u64 : Type::u32;
    const unsigned rows = isa::type_rows(type);
    const std::uint64_t infinity = wide ? 0x7ff0000000000000 : 0x7f800000;
    const std::uint64_t least_normal = wide ? 0x0010000000000000 : 0x00800000;
    const auto binary = [&](Operation operation, VirtualOperand a, std::uint64_t b) {
        return context.value(operation, type, {a, context.literal(b, rows)});
    };
    const auto compare_with = [&](isa::Comparison comparison, VirtualOperand a, std::uint64_t b) {
        VirtualInstruction test = new_instruction(Operation::setp, type, {a, context.literal(b, rows)});
        test.machine.comparison = comparison;
        return test;
    };
    const std::uint64_t magnitude_bits = wide ? 0x7fffffffffffffff : 0x7fffffff;
    const VirtualOperand bits = binary(Operation::bit_and, context.source(0), magnitude_bits);
    const auto subnormal = [&] {
        return compare_with(isa::Comparison::lt, binary(Operation::sub, bits, 1), least_normal - 1);
    };
    VirtualInstruction test;
    switch (context.modifiers().property) {
        case ptx::FloatProperty::finite:
            test = compare_with(isa::Comparison::lt, bits, infinity);
            break;
        case ptx::FloatProperty::infinite:
            test = compare_with(isa::Comparison::eq, bits, infinity);
            break;
        case ptx::FloatProperty::number:
            test = compare_with(isa::Comparison::le, bits, infinity);
            break;
        case ptx::FloatProperty::notanumber:
            test = compare_with(isa::Comparison::gt, bits, infinity);
            break;
        case ptx::FloatProperty::subnormal:
            test = subnormal();
            break;
        default: {
            const PredicateUse is_subnormal = context.emit_temporary_predicate(subnormal());
            test = compare_with(isa::Comparison::lt, bits, infinity);
            test.machine.combine = isa::Combine::bit_and;
            test.source_predicate[0] = {is_subnormal.index, true};
            break;
        }
    }
    test.destination_predicate[0] = context.predicate_destination(context.destination());
    context.emit(test);
}

constexpr Lowering kComparisons[] = {
    {Opcode::testp, lower_testp}, {Opcode::setp, lower_setp}, {Opcode::set, lower_set},
    {Opcode::selp, lower_selp},   {Opcode::slct, lower_slct},
};

}  // namespace

constinit const std::span<const Lowering> kComparisonLowerings = kComparisons;

}  // namespace lookahead::finaliser
