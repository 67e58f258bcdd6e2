#include "components/frontend/ptx/declaration.h"

#include <bit>
#include <optional>
#include <utility>

#include "components/frontend/ptx/problem.h"

namespace lookahead::ptx {
namespace {

constexpr std::uint64_t kLargestVariable = std::uint64_t{1} << 40;
constexpr std::uint64_t kLargestAlignment = std::uint64_t{1} << 16;
constexpr std::size_t kMostDimensions = 16;
constexpr std::uint64_t kMostRegisters = std::uint64_t{1} << 20;

std::optional<StateSpace> variable_space(std::string_view word) {
    if (word == "global") { return StateSpace::global; }
    if (word == "const") { return StateSpace::constant; }
    if (word == "shared" || word == "shared::cta") { return StateSpace::shared; }
    if (word == "local") { return StateSpace::local; }
    if (word == "param") { return StateSpace::param; }
    return std::nullopt;
}

unsigned parse_alignment(Cursor& cursor) {
    const std::uint32_t line = cursor.line();
    const std::uint64_t value = cursor.expect_number("an alignment", kLargestAlignment);
    if (!std::has_single_bit(value)) { fail(line, "an alignment must be a power of two, not {}", value); }
    return static_cast<unsigned>(value);
}

/// The part of a declaration between the state space and the name: `.align 8 .v2 .f32`.
struct ElementType {
    Type type = Type::none;
    unsigned vector_width = 1;
    unsigned alignment = 0;  ///< 0: not given

    unsigned size() const { return bytes(type) * vector_width; }
    unsigned effective_alignment() const { return alignment != 0 ? alignment : size(); }
};

ElementType parse_element_type(Cursor& cursor) {
    ElementType element;
    while (element.type == Type::none) {
        const std::uint32_t line = cursor.line();
        const std::string_view word = cursor.expect_dot_word("a type");
        if (word == "align") {
            element.alignment = parse_alignment(cursor);
        } else if (word == "v2" || word == "v4") {
            element.vector_width = word == "v2" ? 2 : 4;
        } else if (word == "texref" || word == "samplerref" || word == "surfref") {
            fail(line,

                 ".{} is not supported; textures are supported only as texture objects (tex with a 64-bit register)",
                 word);
        } else if (const auto type = type_named(word); type && *type != Type::pred) {
            element.type = *type;
        } else {
            fail(line,
                 ".{} is not supported in a variable's declaration; supported: .align, .v2, .v4, and "
                 "the types .b8 to .b64, .u8 to .u64, .s8 to .s64, .f16, .f16x2, .f32, .f64",
                 word);
        }
    }
    return element;
}

/// `[4][16]`. The first may be empty: `[]`. Nothing for a scalar.
std::vector<std::uint64_t> parse_dimensions(Cursor& cursor) {
    std::vector<std::uint64_t> dimensions;
    while (cursor.accept('[')) {
        if (dimensions.size() == kMostDimensions) { fail(cursor.line(), "this array has too many dimensions"); }
        if (dimensions.empty() && cursor.accept(']')) {
            dimensions.push_back(0);
            continue;
        }
        dimensions.push_back(cursor.expect_number("an array's size", kLargestVariable));
        cursor.expect(']', "after an array's size");
    }
    return dimensions;
}

std::uint64_t count_elements(const std::vector<std::uint64_t>& dimensions, unsigned element_size, std::uint32_t line) {
    std::uint64_t elements = 1;
    for (const std::uint64_t dimension : dimensions) {
        if (dimension != 0 && elements > kLargestVariable / dimension) { fail(line, "this array is too large"); }
        elements *= dimension;
    }
    if (elements > kLargestVariable / element_size) { fail(line, "this array is too large"); }
    return elements;
}

Variable parse_declarator(Cursor& cursor, StateSpace space, const ElementType& element, Linkage linkage,
                          const SymbolTable& names) {
    Variable variable;
    variable.line = cursor.line();
    variable.name = cursor.expect_identifier("a variable's name");
    variable.space = space;
    variable.type = element.type;
    variable.vector_width = element.vector_width;
    variable.alignment = element.effective_alignment();
    variable.is_extern = linkage.is_extern;
    variable.is_visible = linkage.is_visible;
    std::vector<std::uint64_t> dimensions = parse_dimensions(cursor);
    variable.elements = count_elements(dimensions, element.size(), variable.line);
    if (cursor.accept('=')) { parse_initialiser(cursor, names, dimensions, variable); }
    if (variable.elements == 0 && !variable.is_extern) {
        fail(variable.line, "array `{}` has no size; only .extern .shared arrays may have none", variable.name);
    }
    return variable;
}

/// `.ptr .global .align 16` after a parameter's type describes what it points to; it is ignored.
void skip_pointer_attributes(Cursor& cursor) {
    if (!cursor.accept_dot("ptr")) { return; }
    if (cursor.peek().kind == TokenKind::dot_word && variable_space(cursor.peek().text)) { cursor.next(); }
    if (cursor.accept_dot("align")) { parse_alignment(cursor); }
}

Parameter parse_parameter(Cursor& cursor) {
    Parameter parameter;
    const std::uint32_t line = cursor.line();
    const std::string_view space = cursor.expect_dot_word(".param or .reg");
    if (space != "param" && space != "reg") { fail(line, "a parameter must be .param or .reg, not .{}", space); }
    if (space == "reg" && cursor.peek().is_dot("pred")) { fail(line, "predicates cannot be parameters"); }
    const ElementType element = parse_element_type(cursor);
    skip_pointer_attributes(cursor);
    parameter.in_register = space == "reg";
    parameter.name = cursor.expect_identifier("a parameter's name");
    parameter.type = element.type;
    parameter.vector_width = element.vector_width;
    parameter.alignment = element.effective_alignment();
    const std::vector<std::uint64_t> dimensions = parse_dimensions(cursor);
    parameter.elements = count_elements(dimensions, element.size(), line);
    parameter.size = parameter.elements * element.size();
    if (parameter.size == 0) { fail(line, "parameters without a size (variable argument lists) are not supported"); }
    if (parameter.in_register && (parameter.elements != 1 || parameter.vector_width != 1)) {
        fail(line, "a .reg parameter must be a scalar");
    }
    return parameter;
}

/// `.attribute(.managed)` lets the host access the variable; here every variable has one place.
void skip_attribute(Cursor& cursor) {
    if (!cursor.accept_dot("attribute")) { return; }
    const std::uint32_t line = cursor.line();
    cursor.expect('(', "after .attribute");
    const std::string_view attribute = cursor.expect_dot_word("an attribute");
    if (attribute != "managed") { fail(line, "attribute .{} is not supported; supported: .managed", attribute); }
    cursor.expect(')', "after the attribute");
}

}  // namespace

Linkage parse_linkage(Cursor& cursor) {
    Linkage linkage;
    while (true) {
        if (cursor.accept_dot("extern")) {
            linkage.is_extern = true;
        } else if (cursor.accept_dot("visible") || cursor.accept_dot("weak") || cursor.accept_dot("common")) {
            linkage.is_visible = true;
        } else {
            return linkage;
        }
    }
}

bool starts_variable(const Cursor& cursor) {
    return cursor.peek().kind == TokenKind::dot_word && variable_space(cursor.peek().text).has_value();
}

std::vector<Variable> parse_variables(Cursor& cursor, Linkage linkage, const SymbolTable& names) {
    const StateSpace space = *variable_space(cursor.next().text);
    skip_attribute(cursor);
    const ElementType element = parse_element_type(cursor);
    std::vector<Variable> variables;
    do { variables.push_back(parse_declarator(cursor, space, element, linkage, names)); } while (cursor.accept(','));
    cursor.expect(';', "after a declaration");
    return variables;
}

std::vector<Parameter> parse_parameters(Cursor& cursor) {
    std::vector<Parameter> parameters;
    cursor.expect('(', "before the parameters");
    if (cursor.accept(')')) { return parameters; }
    std::uint64_t offset = 0;
    do {
        Parameter parameter = parse_parameter(cursor);
        const std::uint64_t mask = parameter.alignment - 1;
        parameter.offset = (offset + mask) & ~mask;
        offset = parameter.offset + parameter.size;
        parameters.push_back(std::move(parameter));
    } while (cursor.accept(','));
    cursor.expect(')', "after the parameters");
    return parameters;
}

void parse_registers(Cursor& cursor, FunctionScope& scope) {
    const std::uint32_t type_line = cursor.line();
    const std::string_view word = cursor.expect_dot_word("a register's type");
    if (word == "v2" || word == "v4") { fail(type_line, "vector registers are not supported; use scalar registers"); }
    const auto type = type_named(word);
    if (!type) {
        fail(type_line,
             "registers of type .{} are not supported; supported: .pred, .b8 to .b64, .u8 to "
             ".u64, .s8 to .s64, .f16, .f16x2, .f32, .f64",
             word);
    }
    do {
        const std::uint32_t line = cursor.line();
        const std::string_view name = cursor.expect_identifier("a register's name");
        if (cursor.accept('<')) {
            const auto count = cursor.expect_number("a number of registers", kMostRegisters);
            scope.declare_registers(name, static_cast<std::uint32_t>(count), *type, line);
            cursor.expect('>', "after the number of registers");
        } else {
            scope.declare_register(name, *type, line);
        }
    } while (cursor.accept(','));
    cursor.expect(';', "after a declaration of registers");
}

std::uint64_t end_of(const std::vector<Parameter>& parameters) {
    return parameters.empty() ? 0 : parameters.back().offset + parameters.back().size;
}

}  // namespace lookahead::ptx
