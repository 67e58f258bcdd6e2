#include "components/frontend/ptx/raw_operand.h"

#include <string>
#include <utility>

#include "components/frontend/ptx/constant_expression.h"
#include "components/frontend/ptx/problem.h"

namespace lookahead::ptx {
namespace {

constexpr std::size_t kLongestVector = 16;

bool is_component(const Token& token) {
    return token.is_dot("x") || token.is_dot("y") || token.is_dot("z") || token.is_dot("w");
}

/// `%tid` and `.x` are two tokens.
std::string take_special_name(Cursor& cursor, std::string_view name) {
    std::string full(name);
    if (is_component(cursor.peek())) { full.append(".").append(cursor.next().text); }
    return full;
}

[[noreturn]] void refuse_name(const std::string& name, std::uint32_t line) {
    if (is_unsupported_special_register(name)) {
        fail(line,
             "special register {} is not supported; supported are %tid, %ntid, %ctaid, %nctaid with "
             ".x, .y or .z, %laneid, %warpid, %nwarpid, %smid, %nsmid, %gridid, %lanemask_*, %clock, "
             "%clock_hi, %clock64, %globaltimer, %dynamic_smem_size and %total_smem_size",
             name);
    }
    fail(line, "unknown name `{}`; registers, variables and functions must be declared before their use", name);
}

class OperandParser {
  public:
    OperandParser(Cursor& cursor, FunctionScope& scope) : cursor_(cursor), scope_(scope) {}

    RawOperand any() {
        const Token& token = cursor_.peek();
        if (token.is('[')) { return address(); }
        if (token.is('{')) { return vector(); }
        const bool negated_name = token.is('!') && cursor_.peek(1).kind == TokenKind::identifier;
        if (!negated_name && starts_constant(cursor_)) { return constant(); }
        RawOperand raw = scalar();
        if (cursor_.accept('|')) {
            raw.has_second = true;
            raw.second = second();
        }
        return raw;
    }

  private:
    RawOperand constant() {
        RawOperand raw;
        raw.operand.kind = OperandKind::immediate;
        raw.literal = parse_constant(cursor_);
        return raw;
    }

    RawOperand scalar() {
        RawOperand raw;
        const std::uint32_t line = cursor_.line();
        raw.operand.negated = cursor_.accept('!');
        const std::string_view name = cursor_.expect_identifier("an operand");
        if (name == "_" && !raw.operand.negated) { return raw; }
        resolve(name, raw.operand);
        if (raw.operand.negated && raw.operand.kind != OperandKind::reg) {
            fail(line, "! can stand only before a predicate register");
        }
        if (raw.operand.kind == OperandKind::symbol) { raw.operand.value = optional_offset(); }
        return raw;
    }

    void resolve(std::string_view name, Operand& operand) {
        const std::uint32_t line = cursor_.line();
        if (const auto meaning = scope_.find(name)) {
            operand.kind = meaning->is_register ? OperandKind::reg : OperandKind::symbol;
            operand.reg = meaning->reg;
            operand.symbol = meaning->symbol;
            if (is_component(cursor_.peek())) {
                fail(line, "vector registers are not supported; use scalar registers");
            }
            return;
        }
        const std::string full = take_special_name(cursor_, name);
        const auto special = special_register_named(full);
        if (!special) { refuse_name(full, line); }
        operand.kind = OperandKind::special;
        operand.special = *special;
    }

    Operand second() {
        Operand operand;
        const std::uint32_t line = cursor_.line();
        const std::string_view name = cursor_.expect_identifier("a predicate register after |");
        if (name == "_") { return operand; }
        resolve(name, operand);
        if (operand.kind != OperandKind::reg) { fail(line, "only a predicate register can stand after |"); }
        return operand;
    }

    std::uint64_t integer_offset() {
        const std::uint32_t line = cursor_.line();
        const Literal literal = parse_constant(cursor_);
        if (!literal.is_integer()) { fail(line, "an address offset must be an integer"); }
        return literal.bits;
    }

    /// `+ constant`, `- constant` or nothing. A minus sign belongs to the constant.
    std::uint64_t optional_offset() {
        if (cursor_.accept('+')) { return integer_offset(); }
        if (cursor_.peek().is('-')) { return integer_offset(); }
        return 0;
    }

    RawOperand address() {
        cursor_.expect('[', "before an address");
        RawOperand raw;
        raw.operand.kind = OperandKind::address;
        if (starts_constant(cursor_)) {
            raw.operand.value = integer_offset();
        } else {
            base(raw.operand);
        }
        if (cursor_.accept(',')) { texture(raw); }
        cursor_.expect(']', "after an address, which is [register], [register+integer], [symbol] or [symbol+integer]");
        return raw;
    }

    void base(Operand& operand) {
        const std::uint32_t line = cursor_.line();
        Operand name;
        resolve(cursor_.expect_identifier("a register or a variable in an address"), name);
        if (name.kind == OperandKind::special) {
            fail(line, "a special register cannot be an address; move it to a register");
        }
        operand.has_base = name.kind == OperandKind::reg;
        operand.reg = name.reg;
        operand.symbol = name.symbol;
        operand.value = optional_offset();
    }

    /// `[object, {x, y}]`; the object becomes the address.
    void texture(RawOperand& raw) {
        if (!raw.operand.has_base || raw.operand.value != 0) {
            fail(cursor_.line(), "textures are supported only as texture objects in a 64-bit register");
        }
        raw.elements.emplace_back();
        raw.elements.back().operand.kind = OperandKind::reg;
        raw.elements.back().operand.reg = raw.operand.reg;
        RawOperand coordinates = cursor_.peek().is('{') ? vector() : scalar();
        if (coordinates.operand.kind == OperandKind::vector) {
            for (RawOperand& element : coordinates.elements) { raw.elements.push_back(std::move(element)); }
        } else {
            raw.elements.push_back(std::move(coordinates));
        }
        if (cursor_.peek().is(',')) {
            fail(cursor_.line(), "texture accesses with a separate sampler are not supported");
        }
        raw.operand = Operand{};
        raw.operand.kind = OperandKind::texture;
    }

    RawOperand vector() {
        cursor_.expect('{', "before a vector");
        RawOperand raw;
        raw.operand.kind = OperandKind::vector;
        do {
            if (raw.elements.size() == kLongestVector) { fail(cursor_.line(), "this vector has too many elements"); }
            raw.elements.push_back(starts_constant(cursor_) ? constant() : scalar());
        } while (cursor_.accept(','));
        cursor_.expect('}', "after a vector's elements");
        return raw;
    }

    Cursor& cursor_;
    FunctionScope& scope_;
};

}  // namespace

RawOperand parse_operand(Cursor& cursor, FunctionScope& scope) {
    return OperandParser(cursor, scope).any();
}

std::vector<RawOperand> parse_operands(Cursor& cursor, FunctionScope& scope) {
    std::vector<RawOperand> operands;
    if (cursor.peek().is(';')) { return operands; }
    do { operands.push_back(parse_operand(cursor, scope)); } while (cursor.accept(','));
    return operands;
}

}  // namespace lookahead::ptx
