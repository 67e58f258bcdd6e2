#include "components/frontend/ptx/constant_expression.h"

#include <array>
#include <utility>

#include "components/frontend/ptx/problem.h"

namespace lookahead::ptx {
namespace {

constexpr unsigned kDeepestNesting = 64;

Literal integer(std::uint64_t bits, bool is_unsigned) {
    return {Literal::Kind::integer, is_unsigned, bits};
}

/// Binding strength of binary operators, weakest first.
int strength(const Token& token) {
    constexpr std::array<std::pair<std::string_view, int>, 10> kStrengths{
        {{"|", 1}, {"^", 2}, {"&", 3}, {"<<", 4}, {">>", 4}, {"+", 5}, {"-", 5}, {"*", 6}, {"/", 6}, {"%", 6}}};
    if (token.kind != TokenKind::punctuation) { return 0; }
    for (const auto& [text, value] : kStrengths) {
        if (text == token.text) { return value; }
    }
    return 0;
}

std::uint64_t divide(const Literal& a, const Literal& b, bool remainder, std::uint32_t line) {
    if (b.bits == 0) { fail(line, "division by zero in a constant expression"); }
    if (a.is_unsigned || b.is_unsigned) { return remainder ? a.bits % b.bits : a.bits / b.bits; }
    // Division by -1 is separate: for the least integer it overflows.
    if (b.bits == ~std::uint64_t{0}) { return remainder ? 0 : -a.bits; }
    const auto left = static_cast<std::int64_t>(a.bits);
    const auto right = static_cast<std::int64_t>(b.bits);
    return static_cast<std::uint64_t>(remainder ? left % right : left / right);
}

std::uint64_t shift(const Literal& a, const Literal& b, bool left, std::uint32_t line) {
    if (b.bits > 63) { fail(line, "a constant expression shifts by more than 63"); }
    if (left) { return a.bits << b.bits; }
    if (a.is_unsigned) { return a.bits >> b.bits; }
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(a.bits) >> b.bits);
}

Literal combine(const Literal& a, const Token& operation, const Literal& b) {
    if (!a.is_integer() || !b.is_integer()) {
        fail(operation.line, "constant expressions of floating-point numbers are not supported; write the value");
    }
    const bool is_unsigned = a.is_unsigned || b.is_unsigned;
    switch (operation.text[0]) {
        case '|':
            return integer(a.bits | b.bits, is_unsigned);
        case '^':
            return integer(a.bits ^ b.bits, is_unsigned);
        case '&':
            return integer(a.bits & b.bits, is_unsigned);
        case '+':
            return integer(a.bits + b.bits, is_unsigned);
        case '-':
            return integer(a.bits - b.bits, is_unsigned);
        case '*':
            return integer(a.bits * b.bits, is_unsigned);
        case '/':
        case '%':
            return integer(divide(a, b, operation.text[0] == '%', operation.line), is_unsigned);
        default:
            return integer(shift(a, b, operation.text[0] == '<', operation.line), a.is_unsigned);
    }
}

Literal negate(const Literal& literal) {
    switch (literal.kind) {
        case Literal::Kind::integer:
            return integer(-literal.bits, literal.is_unsigned);
        case Literal::Kind::single:
            return {literal.kind, false, literal.bits ^ (std::uint64_t{1} << 31)};
        default:
            return {literal.kind, false, literal.bits ^ (std::uint64_t{1} << 63)};
    }
}

class ExpressionParser {
  public:
    explicit ExpressionParser(Cursor& cursor) : cursor_(cursor) {}

    Literal binary(int least_strength) {
        Literal left = unary();
        while (strength(cursor_.peek()) >= least_strength) {
            const Token operation = cursor_.next();
            left = combine(left, operation, binary(strength(operation) + 1));
        }
        return left;
    }

  private:
    Literal unary() {
        if (++depth_ > kDeepestNesting) { fail(cursor_.line(), "this constant expression is nested too deeply"); }
        const Literal value = unary_of(cursor_.next());
        --depth_;
        return value;
    }

    Literal unary_of(const Token& token) {
        if (token.is('+')) { return unary(); }
        if (token.is('-')) { return negate(unary()); }
        if (token.is('~') || token.is('!')) {
            const Literal operand = unary();
            if (!operand.is_integer()) { fail(token.line, "~ and ! need an integer"); }
            return token.is('~') ? integer(~operand.bits, operand.is_unsigned) : integer(operand.bits == 0, false);
        }
        if (token.is('(')) {
            const Literal value = binary(1);
            cursor_.expect(')', "after a constant expression");
            return value;
        }
        return primary(token);
    }

    Literal primary(const Token& token) {
        if (token.kind == TokenKind::identifier && token.text == "WARP_SZ") { return integer(32, false); }
        if (token.kind != TokenKind::number) { fail(token.line, "expected a constant, found {}", describe(token)); }
        const auto literal = parse_literal(token.text);
        if (!literal) {
            fail(token.line,
                 "{} is not a number; PTX has integers up to 64 bits (12, 0x1F, 017, 0b11, 12U), 0f with 8 and 0d with "
                 "16 hexadecimal digits, and decimal fractions",
                 describe(token));
        }
        return *literal;
    }

    Cursor& cursor_;
    unsigned depth_ = 0;
};

}  // namespace

bool starts_constant(const Cursor& cursor) {
    const Token& token = cursor.peek();
    return token.kind == TokenKind::number || token.is('-') || token.is('+') || token.is('~') || token.is('!') ||
           token.is('(') || (token.kind == TokenKind::identifier && token.text == "WARP_SZ");
}

Literal parse_constant(Cursor& cursor) {
    return ExpressionParser(cursor).binary(1);
}

}  // namespace lookahead::ptx
