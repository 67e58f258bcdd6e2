#include "components/frontend/ptx/operand_fitter.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace lookahead::ptx {
namespace {

std::string dotted(Type type) {
    return fmt::format(".{}", name_of(type));
}

bool is_destination(OperandShape shape) {
    return shape == OperandShape::destination || shape == OperandShape::destination_pair ||
           shape == OperandShape::value_destination || shape == OperandShape::texture_result;
}

bool is_number(Type type) {
    return is_integer(type) || is_bits(type);
}

bool lists_space(const InstructionForm& form, StateSpace space) {
    const auto group = std::ranges::find(form.groups, "space", &ModifierGroup::kind);
    return group != form.groups.end() && std::ranges::find(group->words, name_of(space)) != group->words.end();
}

/// The types of a texture's coordinates. Those of arrays begin with the element's index; 3d, a2d and cube have a
/// padding element where PTX requires four.
std::vector<Type> coordinate_types(TextureGeometry geometry, Type coordinate) {
    switch (geometry) {
        case TextureGeometry::d2:
            return {coordinate, coordinate};
        case TextureGeometry::d3:
        case TextureGeometry::cube:
            return {coordinate, coordinate, coordinate, coordinate};
        case TextureGeometry::a1d:
            return {Type::u32, coordinate};
        case TextureGeometry::a2d:
            return {Type::u32, coordinate, coordinate, coordinate};
        default:
            return {coordinate};
    }
}

}  // namespace

bool register_agrees(Type reg, Type wanted, bool wider) {
    if (reg == wanted) { return true; }
    if (reg == Type::pred || wanted == Type::pred) { return false; }
    if (bits(reg) == bits(wanted)) {
        return is_bits(reg) || is_bits(wanted) || (is_integer(reg) && is_integer(wanted));
    }
    if (!wider || bits(reg) < bits(wanted)) { return false; }
    return is_bits(reg) || (is_integer(reg) && is_number(wanted));
}

void OperandFitter::append(Operand operand, bool destination) {
    if (destination) { ++instruction_.destination_count; }
    instruction_.operands.push_back(std::move(operand));
}

void OperandFitter::fit_form(const InstructionForm& form, std::vector<RawOperand>& operands) {
    for (std::size_t i = 0; i < operands.size(); ++i) { fit_place(form, form.operands[i], operands[i]); }
}

void OperandFitter::fit_place(const InstructionForm& form, const OperandPlace& place, const RawOperand& raw) {
    append(fit_one(form, place, raw), is_destination(place.shape));
    if (!raw.has_second) { return; }
    if (place.shape != OperandShape::destination_pair) { refuse("this instruction has no second destination after |"); }
    append(raw.second.kind == OperandKind::reg ? reg(raw.second, Type::pred, false) : raw.second.at_type(Type::pred),
           true);
}

Operand OperandFitter::fit_one(const InstructionForm& form, const OperandPlace& place, const RawOperand& raw) {
    const Type type = place_type(place.type, raw);
    const std::size_t width = instruction_.modifiers.vector_width;
    switch (place.shape) {
        case OperandShape::destination:
        case OperandShape::destination_pair:
            return destination(raw, type, place.wider);
        case OperandShape::source:
            return source(raw, type, place.wider);
        case OperandShape::flexible_source:
            return raw.operand.kind == OperandKind::special ? special(raw.operand, type)
                                                            : source(raw, type, place.wider);
        case OperandShape::constant:
            if (raw.operand.kind != OperandKind::immediate) { refuse("the last operand must be a constant"); }
            return immediate(raw.literal, type);
        case OperandShape::value:
            return value(raw, width, type, place.wider, false);
        case OperandShape::value_destination:
            return value(raw, width, type, place.wider, true);
        case OperandShape::address:
            return address(form, raw);
        case OperandShape::variable_address:
            return raw.operand.kind == OperandKind::symbol ? symbol(raw.operand, type) : source(raw, type);
        case OperandShape::texture:
            return texture(raw);
        case OperandShape::texture_result:
            return vector(raw, width, type, place.wider, true);
        case OperandShape::texture_value:
            return vector(raw, width, type, place.wider, false);
    }
    refuse("this operand cannot be parsed");
}

Type OperandFitter::place_type(std::string_view name, const RawOperand& raw) const {
    const auto& types = instruction_.modifiers.types;
    if (name == "T") { return types[0]; }
    if (name == "U") { return types[1]; }
    if (name == "V") { return types[2]; }
    if (name == "W") { return with_bits(types[0], 2 * bits(types[0])); }
    if (name == "A") { return bits(type_of(raw.operand)) == 32 ? Type::u32 : Type::u64; }
    return *type_named(name);
}

Type OperandFitter::type_of(const Operand& operand) const {
    return operand.kind == OperandKind::reg ? function_.registers[operand.reg].type : Type::none;
}

Operand OperandFitter::reg(const Operand& operand, Type type, bool wider) {
    const Register& found = function_.registers[operand.reg];
    if (!register_agrees(found.type, type, wider)) {
        refuse("register {} is {} where {} is needed{}", found.name, dotted(found.type), dotted(type),
               (wider ? " (or a wider one of its kind)" : ""));
    }
    if (operand.negated && type != Type::pred) { refuse("! can stand only before a predicate register"); }
    return operand.at_type(type);
}

Operand OperandFitter::immediate(const Literal& literal, Type type) {
    const auto value = convert_literal(literal, type);
    if (!value) {
        refuse(literal.is_integer()
                   ? fmt::format("an integer constant cannot be {}; write 0f or 0d and its bits, or a decimal fraction",
                                 dotted(type))
                   : fmt::format("a floating-point constant of this size cannot be {}", dotted(type)));
    }
    return {.kind = OperandKind::immediate, .type = type, .value = *value};
}

Operand OperandFitter::source(const RawOperand& raw, Type type, bool wider) {
    switch (raw.operand.kind) {
        case OperandKind::reg:
            return reg(raw.operand, type, wider);
        case OperandKind::immediate:
            return immediate(raw.literal, type);
        case OperandKind::special:
            refuse("special register {} can be read only by mov, and by cvt between integers",
                   name_of(raw.operand.special));
        case OperandKind::symbol:
            refuse("the address of {} can be an operand only of mov and cvta", name_of_symbol(raw.operand.symbol));
        default:
            refuse("expected a register or a constant as the source operand");
    }
}

Operand OperandFitter::destination(const RawOperand& raw, Type type, bool wider) {
    const bool may_discard =
        instruction_.opcode == Opcode::atom || (instruction_.opcode == Opcode::setp && raw.has_second);
    if (raw.operand.kind == OperandKind::sink && may_discard) { return raw.operand.at_type(type); }
    if (raw.operand.kind != OperandKind::reg) { refuse("expected a register as the destination"); }
    if (raw.operand.negated) { refuse("a destination cannot be negated"); }
    return reg(raw.operand, type, wider);
}

/// A single element may have braces or not (Triton writes braces for all of its loads and stores).
Operand OperandFitter::value(const RawOperand& raw, std::size_t width, Type type, bool wider, bool is_result) {
    if (width > 1) { return vector(raw, width, type, wider, is_result); }
    if (raw.operand.kind == OperandKind::vector) { return vector(raw, width, type, wider, is_result).elements[0]; }
    return is_result ? destination(raw, type, wider) : source(raw, type, wider);
}

Operand OperandFitter::vector(const RawOperand& raw, std::size_t width, Type type, bool wider, bool is_result) {
    if (raw.operand.kind != OperandKind::vector || raw.elements.size() != width) {
        refuse("expected a vector of {} elements in braces", width);
    }
    Operand fitted{.kind = OperandKind::vector, .type = type};
    for (const RawOperand& element : raw.elements) {
        if (is_result && element.operand.kind == OperandKind::sink) {
            fitted.elements.push_back(element.operand.at_type(type));
        } else {
            fitted.elements.push_back(is_result ? destination(element, type, wider) : source(element, type, wider));
        }
    }
    return fitted;
}

/// A 32-bit special register may also be read as its lower 16 bits, %gridid as its lower 32.
Operand OperandFitter::special(const Operand& operand, Type type) {
    const Type own = ptx::type_of(operand.special);
    const bool lower_part =
        (bits(own) == 32 && bits(type) == 16) || (operand.special == SpecialRegister::gridid && bits(type) == 32);
    const bool integers = instruction_.opcode != Opcode::cvt || is_integer(instruction_.type());
    if (!is_number(type) || !integers || (bits(type) != bits(own) && !lower_part)) {
        refuse("special register {} is {} and cannot be read as {}", name_of(operand.special), dotted(own),
               dotted(instruction_.type()));
    }
    return operand.at_type(type);
}

Operand OperandFitter::symbol(const Operand& operand, Type type) {
    if (!is_number(type) || bits(type) < 32) {
        refuse("the address of {} needs a 32- or 64-bit integer type", name_of_symbol(operand.symbol));
    }
    const StateSpace space = space_of(operand.symbol);
    check_address_width(type, space);
    if (instruction_.opcode == Opcode::cvta && instruction_.modifiers.space != space) {
        refuse("{} is in state space {}, not in {}", name_of_symbol(operand.symbol), name_of(space),
               name_of(instruction_.modifiers.space));
    }
    return operand.at_type(type);
}

void OperandFitter::check_address_width(Type type, StateSpace space) const {
    const bool full_width = space == StateSpace::global || space == StateSpace::generic;
    if (bits(type) == module_.address_bits || (bits(type) == 32 && !full_width)) { return; }
    if (bits(type) == 64 && !full_width) { return; }
    refuse("a {} address has {} bits, not {}", name_of(space), module_.address_bits, bits(type));
}

StateSpace OperandFitter::space_of(const SymbolReference& symbol) const {
    switch (symbol.kind) {
        case SymbolKind::module_variable:
            return module_.variables[symbol.index].space;
        case SymbolKind::function_variable:
            return function_.variables[symbol.index].space;
        case SymbolKind::parameter:
        case SymbolKind::return_parameter:
            return StateSpace::param;
        default:
            return StateSpace::generic;
    }
}

std::string OperandFitter::name_of_symbol(const SymbolReference& symbol) const {
    switch (symbol.kind) {
        case SymbolKind::module_variable:
            return fmt::format("variable `{}`", module_.variables[symbol.index].name);
        case SymbolKind::function_variable:
            return fmt::format("variable `{}`", function_.variables[symbol.index].name);
        case SymbolKind::parameter:
            return fmt::format("parameter `{}`", function_.parameters[symbol.index].name);
        case SymbolKind::return_parameter:
            return fmt::format("return parameter `{}`", function_.return_parameters[symbol.index].name);
        default:
            return fmt::format("function `{}`", module_.functions[symbol.index].name);
    }
}

Operand OperandFitter::address(const InstructionForm& form, const RawOperand& raw) {
    if (raw.operand.kind != OperandKind::address) { refuse("expected an address in brackets"); }
    StateSpace& space = instruction_.modifiers.space;
    Operand fitted = raw.operand;
    fitted.type = module_.address_type();
    if (fitted.has_base) {
        const Type type = function_.registers[fitted.reg].type;
        if (!is_number(type) || bits(type) < 32) {
            refuse("register {} is {} and cannot hold an address", function_.registers[fitted.reg].name, dotted(type));
        }
        check_address_width(type, space);
        fitted.type = bits(type) == 64 ? Type::u64 : Type::u32;
    } else if (fitted.symbol.kind == SymbolKind::none) {
        if (space != StateSpace::local) { refuse("a constant address is allowed only in state space local"); }
    } else {
        const StateSpace own = space_of(fitted.symbol);
        if (fitted.symbol.kind == SymbolKind::function) { refuse("{} is not data", name_of_symbol(fitted.symbol)); }
        // A generic access to a variable is an access to the variable's state space.
        if (space == StateSpace::generic) { space = own; }
        if (space != own || !lists_space(form, own)) {
            refuse("{} is in state space {}, which this instruction does not access", name_of_symbol(fitted.symbol),
                   name_of(own));
        }
        if (fitted.symbol.kind == SymbolKind::parameter && instruction_.opcode == Opcode::st) {
            refuse("{} is an input and cannot be written", name_of_symbol(fitted.symbol));
        }
    }
    return fitted;
}

Operand OperandFitter::texture(const RawOperand& raw) {
    if (raw.operand.kind != OperandKind::texture) { refuse("expected a texture access [object, {coordinates}]"); }
    const bool is_surface = instruction_.modifiers.surface_bound != SurfaceBound::none;
    const auto types =
        coordinate_types(instruction_.modifiers.geometry, is_surface ? Type::s32 : instruction_.modifiers.types[1]);
    if (raw.elements.size() != types.size() + 1) { refuse("this texture geometry takes {} coordinates", types.size()); }
    Operand fitted{.kind = OperandKind::texture, .type = types.back()};
    fitted.elements.push_back(source(raw.elements[0], Type::b64));
    for (std::size_t i = 0; i < types.size(); ++i) { fitted.elements.push_back(source(raw.elements[i + 1], types[i])); }
    return fitted;
}

void OperandFitter::fit_mov(std::vector<RawOperand>& operands) {
    if (operands.size() != 2) { refuse("mov takes 2 operands, not {}", operands.size()); }
    if (operands[0].has_second || operands[1].has_second) {
        refuse("this instruction has no second destination after |");
    }
    const Type type = instruction_.type();
    const bool unpack = operands[0].operand.kind == OperandKind::vector;
    const bool pack = operands[1].operand.kind == OperandKind::vector;
    if (!unpack && !pack) {
        append(destination(operands[0], type), true);
        append(mov_source(operands[1], type), false);
        return;
    }
    const std::size_t width = operands[unpack ? 0 : 1].elements.size();
    if (unpack == pack || !is_bits(type) || (width != 2 && width != 4) || bits(type) / width < 8) {
        refuse("mov packs a vector of 2 or 4 into a .b16, .b32 or .b64, or unpacks one; elements have at least 8 bits");
    }
    const Type element = with_bits(type, static_cast<unsigned>(bits(type) / width));
    append(unpack ? vector(operands[0], width, element, false, true) : destination(operands[0], type), true);
    append(pack ? vector(operands[1], width, element, false, false) : source(operands[1], type), false);
}

Operand OperandFitter::mov_source(const RawOperand& raw, Type type) {
    if (raw.operand.kind == OperandKind::special) { return special(raw.operand, type); }
    if (raw.operand.kind == OperandKind::symbol) { return symbol(raw.operand, type); }
    return source(raw, type);
}

}  // namespace lookahead::ptx
