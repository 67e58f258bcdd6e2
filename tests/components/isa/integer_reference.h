#pragma once

#include <cstdint>

#include "components/isa/instruction.h"

/// Integers of any width in 128 bits, for references.
namespace lookahead::isa::test {

__extension__ using Integer = __int128;

struct Kind {
    Type type;
    unsigned bits;
    bool is_signed;
};

inline Integer power_of_two(unsigned exponent) {
    return Integer{1} << exponent;
}
inline Integer least(const Kind& kind) {
    return kind.is_signed ? -power_of_two(kind.bits - 1) : 0;
}
inline Integer greatest(const Kind& kind) {
    return power_of_two(kind.is_signed ? kind.bits - 1 : kind.bits) - 1;
}

/// The number that the lowest bits of `word` represent.
inline Integer number(std::uint64_t word, const Kind& kind) {
    Integer value = Integer{word} % power_of_two(kind.bits);
    if (kind.is_signed && value > greatest(kind)) { value -= power_of_two(kind.bits); }
    return value;
}
/// `value` as registers hold it: modulo 2^bits, and values narrower than a word extended to one.
inline std::uint64_t word(Integer value, const Kind& kind) {
    const Kind container{Type::none, kind.bits < 32 ? 32 : kind.bits, false};
    const Integer inside = number(static_cast<std::uint64_t>(value), kind);
    return static_cast<std::uint64_t>(number(static_cast<std::uint64_t>(inside), container));
}

}  // namespace lookahead::isa::test
