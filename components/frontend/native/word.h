#pragma once

#include <cstdint>

namespace lookahead::native {

/// An instruction of Volta and later GPUs: 128 bits, bit 0 the lowest of `low`.
struct Word {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    /// `count` bits from `first` on, up to 64.
    constexpr std::uint64_t bits(unsigned first, unsigned count) const {
        std::uint64_t value = first < 64 ? low >> first : high >> (first - 64);
        if (first > 0 && first < 64 && first + count > 64) { value |= high << (64 - first); }
        return count < 64 ? value & ((std::uint64_t{1} << count) - 1) : value;
    }
    constexpr bool bit(unsigned place) const { return bits(place, 1) != 0; }
    /// Likewise, as a number in two's complement.
    constexpr std::int64_t signed_bits(unsigned first, unsigned count) const {
        return static_cast<std::int64_t>(bits(first, count) << (64 - count)) >> (64 - count);
    }
};

}  // namespace lookahead::native
