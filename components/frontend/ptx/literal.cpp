#include "components/frontend/ptx/literal.h"

#include <bit>
#include <charconv>

#include "core/text/read_number.h"

namespace lookahead::ptx {
namespace {

std::optional<std::uint64_t> parse_digits(std::string_view digits, int base) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty()) { return std::nullopt; }
    return value;
}

/// 0f and 0d: exactly as many hexadecimal digits as the format has.
std::optional<Literal> parse_exact_float(std::string_view digits, std::size_t count, Literal::Kind kind) {
    const auto value = parse_digits(digits, 16);
    if (digits.size() != count || !value) { return std::nullopt; }
    return Literal{kind, false, *value};
}

std::optional<Literal> parse_decimal_float(std::string_view text) {
    double value = 0;
    if (!read_number(text, value)) { return std::nullopt; }
    return Literal{Literal::Kind::real, false, std::bit_cast<std::uint64_t>(value)};
}

std::optional<Literal> parse_integer(std::string_view text) {
    const bool suffix = text.ends_with('U') || text.ends_with('u');
    if (suffix) { text.remove_suffix(1); }
    int base = 10;
    if (text.size() > 1 && text[0] == '0') {
        const char mark = text[1];
        base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
        text.remove_prefix(base == 8 ? 1 : 2);
    }
    const auto value = parse_digits(text, base);
    if (!value) { return std::nullopt; }
    return Literal{Literal::Kind::integer, suffix || (*value >> 63) != 0, *value};
}

double as_double(const Literal& literal) {
    if (literal.kind == Literal::Kind::single) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(literal.bits));
    }
    return std::bit_cast<double>(literal.bits);
}

float as_single(const Literal& literal) {
    return static_cast<float>(as_double(literal));
}

}  // namespace

std::optional<Literal> parse_literal(std::string_view text) {
    if (text.starts_with("0f") || text.starts_with("0F")) {
        return parse_exact_float(text.substr(2), 8, Literal::Kind::single);
    }
    if (text.starts_with("0d") || text.starts_with("0D")) {
        return parse_exact_float(text.substr(2), 16, Literal::Kind::real);
    }
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (!hexadecimal && text.find_first_of(".eE") != std::string_view::npos) { return parse_decimal_float(text); }
    return parse_integer(text);
}

std::optional<std::uint64_t> convert_literal(const Literal& literal, Type type) {
    if (type == Type::pred) {
        if (!literal.is_integer()) { return std::nullopt; }
        return literal.bits != 0 ? 1 : 0;
    }
    if (literal.is_integer()) {
        if (is_floating(type)) { return std::nullopt; }
        return bits(type) == 64 ? literal.bits : literal.bits & ((std::uint64_t{1} << bits(type)) - 1);
    }
    // A 0f constant keeps its bits, signalling NaNs too.
    const bool single = literal.kind == Literal::Kind::single;
    if (type == Type::b32 || type == Type::f32) {
        if (single) { return literal.bits; }
        if (type == Type::f32) { return std::bit_cast<std::uint32_t>(as_single(literal)); }
    }
    if (type == Type::f64 || (type == Type::b64 && !single)) {
        return std::bit_cast<std::uint64_t>(as_double(literal));
    }
    return std::nullopt;
}

}  // namespace lookahead::ptx
