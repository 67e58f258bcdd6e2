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
constexpr ByteMask operator~(const ByteMask& a) {
    return {{~a.bits[0], ~a.bits[1]}};
}
/// The bytes of `a` that are not in `b`.
constexpr ByteMask without(const ByteMask& a, const ByteMask& b) {
    return {{a.bits[0] & ~b.bits[0], a.bits[1] & ~b.bits[1]}};
}
constexpr unsigned bytes_in(const ByteMask& mask) {
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

/// Whether all bytes of `needed` are in `held`.
constexpr bool covers(const ByteMask& held, const ByteMask& needed) {
    return ((needed.bits[0] & ~held.bits[0]) | (needed.bits[1] & ~held.bits[1])) == 0;
}

/// Bytes first .. first + count - 1 of a line; count > 0.
constexpr ByteMask byte_range(unsigned first, unsigned count) {
    const auto below = [](unsigned n) {  // the n lowest bits
        return ByteMask{{n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1,
                         n <= 64    ? 0
                         : n >= 128 ? ~std::uint64_t{0}
                                    : (std::uint64_t{1} << (n - 64)) - 1}};
    };
    return below(first + count) & ~below(first);
}

/// Copies the bytes of `mask` from one line to another.
inline void copy_bytes(std::byte* line, const std::byte* from, const ByteMask& mask) {
    if (mask.full()) {
        std::memcpy(line, from, kLineBytes);
        return;
    }
    // Byte i of a vector gets byte i / 8 of the mask's 32 bits, then keeps bit i % 8 alone.
    const __m256i spread = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
    for (unsigned i = 0; i < kLineBytes / 32; ++i) {
        const auto bits = static_cast<std::uint32_t>(mask.bits[i / 2] >> (32 * (i % 2)));
        const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), spread);
        const __m256i chosen = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit);
        auto* to = reinterpret_cast<__m256i*>(line + 32 * i);
        const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32 * i));
        _mm256_storeu_si256(to, _mm256_blendv_epi8(_mm256_loadu_si256(to), value, chosen));
    }
}

/// Packs the sectors of a line in ascending order, as a ReadReply carries them.
inline void pack_sectors(std::byte* to, const std::byte* line, SectorMask sectors) {
    if (sectors == kAllSectors) {
        std::memcpy(to, line, kLineBytes);
        return;
    }
    for (unsigned left = sectors; left != 0; left &= left - 1) {
        std::memcpy(to, line + kSectorBytes * static_cast<unsigned>(std::countr_zero(left)), kSectorBytes);
        to += kSectorBytes;
    }
}

/// Packs the words in `words` (see words_of) in ascending order, as a WriteRequest carries them.
inline void pack_words(std::byte* to, const std::byte* line, std::uint32_t words) {
    for (std::uint32_t left = words; left != 0; left &= left - 1) {
        std::memcpy(to, line + 4 * std::countr_zero(left), 4);
        to += 4;
    }
}

/// Writes the bytes of `mask` to a line; `words` are those that pack_words() packed.
inline void write_words(std::byte* line, const ByteMask& mask, const std::byte* words) {
    if (mask.full()) {
        std::memcpy(line, words, kLineBytes);
        return;
    }
    for (unsigned i = 0; i < kLineWords; ++i) {
        const unsigned bytes = mask.bits[i / 16] >> (4 * (i % 16)) & 0xf;
        if (bytes == 0) { continue; }
        const std::uint32_t chosen = _pdep_u32(bytes, 0x01010101u) * 0xff;
        std::uint32_t old;
        std::uint32_t value;
        std::memcpy(&old, line + 4 * i, 4);
        std::memcpy(&value, words, 4);
        value = (old & ~chosen) | (value & chosen);
        std::memcpy(line + 4 * i, &value, 4);
        words += 4;
    }
}

/// The lanes of an atomic request, which follow it in the message.
inline const AtomicLane* lanes_of(const AtomicRequest& request) {
    return reinterpret_cast<const AtomicLane*>(&request + 1);
}

}  // namespace lookahead::gpu
