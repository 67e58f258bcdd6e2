#pragma once

#include <immintrin.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/protocols/memory.h"

namespace lookahead::gpu {

constexpr ByteMask operator&(const ByteMask& a, const ByteMask& b) {
    return {{a.bits[0] & b.bits[0], a.bits[1] & b.bits[1]}};
}
constexpr ByteMask operator|(const ByteMask& a, const ByteMask& b) {
    return {{a.bits[0] | b.bits[0], a.bits[1] | b.bits[1]}};
}
/// The bytes of `a` that are not in `b`.
constexpr ByteMask without(const ByteMask& a, const ByteMask& b) {
    return {{a.bits[0] & ~b.bits[0], a.bits[1] & ~b.bits[1]}};
}
constexpr unsigned count_of(const ByteMask& mask) {
    return static_cast<unsigned>(std::popcount(mask.bits[0]) + std::popcount(mask.bits[1]));
}

/// The 32-bit words of a line with at least one byte in the mask; one bit per word.
inline std::uint32_t words_of(const ByteMask& mask) {
    std::uint32_t words = 0;
    for (unsigned half = 0; half < 2; ++half) {
        const std::uint64_t pairs = mask.bits[half] | mask.bits[half] >> 1;
        const std::uint64_t any = (pairs | pairs >> 2) & 0x1111111111111111u;
        words |= static_cast<std::uint32_t>(_pext_u64(any, 0x1111111111111111u)) << (16 * half);
    }
    return words;
}

inline void copy_masked(std::byte* to, const std::byte* from, const ByteMask& mask) {
    for (unsigned chunk = 0; chunk < kLineBytes / 8; ++chunk) {
        const std::uint64_t bits = mask.bits[chunk / 8] >> (chunk % 8 * 8) & 0xff;
        if (bits == 0) { continue; }
        const std::uint64_t bytes = _pdep_u64(bits, 0x0101010101010101u) * 0xff;
        std::uint64_t old_value = 0;
        std::uint64_t new_value = 0;
        std::memcpy(&old_value, to + chunk * 8, 8);
        std::memcpy(&new_value, from + chunk * 8, 8);
        old_value = (old_value & ~bytes) | (new_value & bytes);
        std::memcpy(to + chunk * 8, &old_value, 8);
    }
}

/// Packs the words in `words` (see words_of) in ascending order, as a WriteRequest carries them.
inline void pack_words(std::byte* to, const std::byte* line, std::uint32_t words) {
    for (std::uint32_t left = words; left != 0; left &= left - 1) {
        std::memcpy(to, line + 4 * std::countr_zero(left), 4);
        to += 4;
    }
}

}  // namespace lookahead::gpu
