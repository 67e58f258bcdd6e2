#include "components/frontend/finaliser/lower/lower.h"
#include "components/isa/address_space.h"

namespace lookahead::finaliser {

namespace {

VirtualInstruction raw_move(VirtualOperand value) {
    return new_instruction(Operation::mov, value.rows == 2 ? Type::b64 : Type::b32, {value});
}

void lower_predicate_move(LoweringContext& context) {
    VirtualInstruction result = context.make(Operation::pred_mov, Type::pred);
    result.source_predicate[0] = context.predicate_source(context.instruction().sources()[0]);
    result.destination_predicate[0] = context.predicate_destination(context.destination());
    context.emit(result);
}

VirtualOperand wide_temporary(LoweringContext& context, const std::vector<VirtualOperand>& words) {
    const std::uint32_t first = context.kernel.new_rows(static_cast<unsigned>(words.size()));
    for (std::uint32_t i = 0; i < words.size(); ++i) { context.emit_copy(words[i], first + i); }
    return {isa::Operand::Kind::reg, static_cast<std::uint8_t>(words.size()), first};
}

/// mov.b32 r, {lo, hi}; mov.b64 r, {lo, hi}; mov.b64 r, {a, b, c, d}.
void lower_pack(LoweringContext& context) {
    const auto& elements = context.instruction().sources()[0].elements;
    std::vector<VirtualOperand> words;
    switch (ptx::bits(elements[0].type)) {
        case 32:
            for (const ptx::Operand& element : elements) { words.push_back(context.source(element)); }
            break;
        case 16:  // two per word, the first in its low half
            for (std::size_t i = 0; i + 1 < elements.size(); i += 2) {
                words.push_back(context.value(
                    Operation::prmt, Type::b32,
                    {context.source(elements[i]), context.source(elements[i + 1]), context.literal(0x5410)}));
            }
            break;
        default:
            context.refuse("packing is supported only for 16-bit and 32-bit elements");
    }
    const VirtualOperand whole = words.size() == 1 ? words[0] : wide_temporary(context, words);
    context.emit_result(raw_move(whole));
}

/// The reverse: each element that is not a sink gets its part of the source.
void lower_unpack(LoweringContext& context) {
    const auto& elements = context.destination().elements;
    VirtualOperand whole = context.source(0);
    if (whole.kind == isa::Operand::Kind::reg) {
        // The source may be one of the destinations, so it is first read as a whole.
        whole = context.emit_temporary(raw_move(whole), whole.rows);
    }
    const unsigned width = ptx::bits(elements[0].type);
    if (width != 16 && width != 32) { context.refuse("unpacking is supported only for 16-bit and 32-bit elements"); }
    for (unsigned i = 0; i < elements.size(); ++i) {
        if (elements[i].kind == ptx::OperandKind::sink) { continue; }
        if (width == 32) {
            context.emit_to(elements[i], raw_move(part(whole, i)));
            continue;
        }
        context.emit_to(elements[i],
                        context.make(Operation::bfe, Type::u32,
                                     {part(whole, i / 2), context.literal(i % 2 * 16), context.literal(16)}));
    }
}

void lower_mov(LoweringContext& context) {
    if (context.type() == Type::pred) { return lower_predicate_move(context); }
    if (context.destination().kind == ptx::OperandKind::vector) { return lower_unpack(context); }
    if (context.instruction().sources()[0].kind == ptx::OperandKind::vector) { return lower_pack(context); }
    context.emit_result(raw_move(context.source(0)));
}

/// Whether the conversion keeps an integer's low word, so that it needs no arithmetic.
bool is_truncation(const ptx::Modifiers& modifiers) {
    const Type to = modifiers.types[0];
    const Type from = modifiers.types[1];
    return !ptx::is_floating(to) && !ptx::is_floating(from) && !modifiers.saturate &&
           (ptx::bits(to) == 32 || ptx::bits(to) == 64) && ptx::bits(from) >= ptx::bits(to);
}

void lower_cvt(LoweringContext& context) {
    const ptx::Modifiers& modifiers = context.modifiers();
    const VirtualOperand value = context.source(0);
    if (is_truncation(modifiers)) {
        return context.emit_result(raw_move(part(value, 0, isa::type_rows(modifiers.types[0]))));
    }
    VirtualInstruction result = context.make(Operation::convert, modifiers.types[0], {value});
    result.machine.source_type = modifiers.types[1];
    context.emit_result(result);
}

struct Window {
    std::uint64_t base, bytes;
};

std::uint64_t window_base(LoweringContext& context, StateSpace space) {
    switch (space) {
        case StateSpace::global:
        case StateSpace::constant:
        case StateSpace::param:
            return 0;
        case StateSpace::shared:
            return isa::kSharedWindowBase;
        case StateSpace::local:
            return isa::kLocalWindowBase;
        default:
            context.refuse("cvta and isspacep are supported only for .global, .const, .param, .shared and .local");
    }
}

/// Generic addresses of global memory, constants and parameters are unchanged; shared and local memory are in windows.
void lower_cvta(LoweringContext& context) {
    const VirtualOperand address = context.source(0);
    const std::uint64_t base = window_base(context, context.modifiers().space);
    if (base == 0 && context.keeps_cvta()) {
        return context.emit_result(context.make(Operation::bit_or, address.rows == 2 ? Type::b64 : Type::b32,
                                                {address, context.literal(0, address.rows)}));
    }
    if (base == 0) { return context.emit_result(raw_move(address)); }
    if (address.rows != 2) {
        context.refuse("generic addresses of .shared and .local are supported only with 64-bit addresses");
    }
    context.emit_result(context.make(context.modifiers().to ? Operation::sub : Operation::add, Type::u64,
                                     {address, context.literal(base, 2)}));
}

/// The addresses of a space. All outside the windows is global, except constants and parameters, which come last.
Window window_of(LoweringContext& context, StateSpace space) {
    switch (space) {
        case StateSpace::constant:
            return {isa::kConstantBase, isa::kConstantBytes};
        case StateSpace::param:
            return {isa::kParameterBase, isa::kConstantBankBase + isa::kConstantBankBytes - isa::kParameterBase};
        case StateSpace::global:
            return {isa::kGlobalBase, isa::kConstantBase - isa::kGlobalBase};
        case StateSpace::local:
            return {isa::kLocalWindowBase, isa::kLocalWindowBytes};
        default:
            return {window_base(context, space), isa::kSharedWindowBytes};
    }
}

void lower_isspacep(LoweringContext& context) {
    const VirtualOperand address = context.source(0);
    if (address.rows != 2) { context.refuse("isspacep is supported only with 64-bit addresses"); }
    VirtualInstruction test = context.make(Operation::setp, Type::u64);
    test.destination_predicate[0] = context.predicate_destination(context.destination());
    const auto [base, bytes] = window_of(context, context.modifiers().space);
    const VirtualInstruction distance = context.make(Operation::sub, Type::u64, {address, context.literal(base, 2)});
    test.machine.comparison = isa::Comparison::lt;
    test.source = {context.emit_temporary(distance, 2), context.literal(bytes, 2), {}};
    context.emit(test);
}

constexpr Lowering kMoves[] = {
    {Opcode::mov, lower_mov},
    {Opcode::cvt, lower_cvt},
    {Opcode::cvta, lower_cvta},
    {Opcode::isspacep, lower_isspacep},
};

}  // namespace

constinit const std::span<const Lowering> kMoveLowerings = kMoves;

}  // namespace lookahead::finaliser
