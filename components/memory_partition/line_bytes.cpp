#include "components/memory_partition/line_bytes.h"

#include <array>
#include <cstring>

namespace lookahead::gpu {
namespace {

/// A bit a byte -> 0xff a byte.
constexpr std::array<std::uint64_t, 256> make_expansion() {
    std::array<std::uint64_t, 256> table{};
    for (unsigned bits = 0; bits < 256; ++bits) {
        for (unsigned byte = 0; byte < 8; ++byte) {
            if (bits >> byte & 1) {
                table[bits] |= std::uint64_t{0xff} << (8 * byte);
            }
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
    for (unsigned i = 0; i < kLineBytes / 8; ++i) {
        const std::uint64_t chosen = kExpansion[mask.bits[i / 8] >> (8 * (i % 8)) & 0xff];
        std::uint64_t old;
        std::uint64_t value;
        std::memcpy(&old, line + 8 * i, 8);
        std::memcpy(&value, from + 8 * i, 8);
        value = (old & ~chosen) | (value & chosen);
        std::memcpy(line + 8 * i, &value, 8);
    }
}

void write_words(std::byte* line, const ByteMask& mask, const std::byte* words) {
    if (mask.full()) {
        std::memcpy(line, words, kLineBytes);
        return;
    }
    for (unsigned i = 0; i < kLineWords; ++i) {
        const unsigned bytes = mask.bits[i / 16] >> (4 * (i % 16)) & 0xf;
        if (bytes == 0) {
            continue;
        }
        const auto chosen = static_cast<std::uint32_t>(kExpansion[bytes]);
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
