#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "components/frontend/ptx/type.h"

namespace lookahead::ptx {

/// A constant of PTX: a 64-bit integer, or a floating-point number of 32 (0f...) or 64 bits.
struct Literal {
    enum class Kind : std::uint8_t { integer, single, real };
    Kind kind = Kind::integer;
    bool is_unsigned = false;  ///< integers: written with U, or too large for s64
    std::uint64_t bits = 0;    ///< of the integer, the float or the double

    bool is_integer() const { return kind == Kind::integer; }
};

/// The value of a number token; nothing if it is malformed or out of range.
std::optional<Literal> parse_literal(std::string_view text);

/// The bits of `literal` as a constant of `type`, zero-extended from the type's width. Integers are cut to this width,
/// floating-point constants rounded to it. Nothing if PTX does not allow it: an integer for a floating-point type, or a
/// floating-point constant for a type without a floating-point format.
std::optional<std::uint64_t> convert_literal(const Literal& literal, Type type);

}  // namespace lookahead::ptx
