#pragma once

#include <cstdint>
#include <cstring>

#include "core/message/message.h"

namespace lookahead {

/// Folds the 128-bit product of two words into one word.
inline std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Adds a message, header and payload, to a rolling hash. The products of the pairs of words do not depend on each
/// other, so the processor computes them in parallel.
inline std::uint64_t add_message(std::uint64_t rolling, const MessageHeader& message) {
    constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15u;  // 2^64 over the golden ratio
    const auto* bytes = reinterpret_cast<const std::byte*>(&message);
    const std::size_t size = message.total_bytes();
    std::uint64_t hash = 0;
    std::uint64_t secret = kStep;
    std::size_t at = 0;
#pragma GCC unroll 4
    for (; at + 16 <= size; at += 16, secret += kStep) {
        std::uint64_t pair[2];
        std::memcpy(pair, bytes + at, sizeof pair);
        hash += fold_product(pair[0] ^ secret, pair[1] ^ (secret * 3));
    }
    if (at < size) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + at, sizeof word);
        hash += fold_product(word ^ secret, kStep);
    }
    return fold_product(rolling ^ hash, kStep) + hash;
}

}  // namespace lookahead
