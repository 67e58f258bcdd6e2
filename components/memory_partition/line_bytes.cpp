#include "components/memory_partition/line_bytes.h"

#include <immintrin.h>

#include <array>
#include <cstring>

namespace lookahead::gpu {
namespace {

/// Expands each bit of a nibble to a byte 0xff.
constexpr std::array<std::uint32_t, 16> make_expansion() {
    std::array<std::uint32_t, 16> table{};
    for (unsigned bits = 0; bits < 16; ++bits) {
        for (unsigned byte = 0; byte < 4; ++byte) {
            if (bits >> byte & 1) { table[bits] |= std::uint32_t{0xff} << (8 * byte); }
        }
    }
    return table;
}
constexpr auto kExpansion = make_expansion();

}  // namespace

void copy_bytes(std::byte* line, const std::byte* from, const ByteMask& mask) {
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

void write_words(std::byte* line, const ByteMask& mask, const std::byte* words) {
    if (mask.full()) {
        std::memcpy(line, words, kLineBytes);
        return;
    }
    for (unsigned i = 0; i < kLineWords; ++i) {
        const unsigned bytes = mask.bits[i / 16] >> (4 * (i % 16)) & 0xf;
        if (bytes == 0) { continue; }
        const std::uint32_t chosen = kExpansion[bytes];
        std::uint32_t old;
        std::uint32_t value;
        std::memcpy(&old, line + 4 * i, 4);
        std::memcpy(&value, words, 4);
        value = (old & ~chosen) | (value & chosen);
        std::memcpy(line + 4 * i, &value, 4);
        words += 4;
    }
}

}  // namespace lookahead::gpu
