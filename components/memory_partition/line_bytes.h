#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/protocols/memory.h"

namespace lookahead::gpu {

constexpr ByteMask operator|(const ByteMask& a, const ByteMask& b) {
    return {{a.bits[0] | b.bits[0], a.bits[1] | b.bits[1]}};
}
constexpr ByteMask operator&(const ByteMask& a, const ByteMask& b) {
    return {{a.bits[0] & b.bits[0], a.bits[1] & b.bits[1]}};
}
constexpr ByteMask operator~(const ByteMask& a) {
    return {{~a.bits[0], ~a.bits[1]}};
}

constexpr unsigned bytes_in(const ByteMask& mask) {
    return static_cast<unsigned>(std::popcount(mask.bits[0]) + std::popcount(mask.bits[1]));
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
void copy_bytes(std::byte* line, const std::byte* from, const ByteMask& mask);

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

/// Writes the bytes of `mask` to a line; `words` are its 32-bit words that hold a byte of the mask, in ascending
/// order, as a WriteRequest carries them.
void write_words(std::byte* line, const ByteMask& mask, const std::byte* words);

}  // namespace lookahead::gpu
