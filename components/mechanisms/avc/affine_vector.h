#pragma once

#include <cstdint>
#include <optional>

namespace lookahead::gpu {

/// Words of up to 32 lanes that are all equal, or of which lane i has (beta + i) * 2^sigma (Collange and Kouyoumdjian,
/// 2011, end of section 2.3): base b and stride s, s a power of two or 0, b a multiple of s. Arithmetic is modulo 2^32.
struct AffineVector {
    /// The last of the seven strides that three bits leave beside the code for 0: 1, 2, 4, ..., 64.
    static constexpr std::uint8_t kLongest = 6;
    static constexpr std::uint8_t kUniform = 7;  ///< the code for stride 0

    std::uint32_t base = 0;
    std::uint8_t stride = kUniform;  ///< its logarithm, or kUniform

    /// The decoding unit (section 5.2), one lane of it.
    std::uint32_t word(unsigned lane) const { return base + (stride == kUniform ? 0 : lane << stride); }
    bool operator==(const AffineVector&) const = default;
};

/// The encoding unit (section 5.2). `words` has 32 lanes or, with `lanes` = 16, sixteen; those of the mask count. None:
/// the vector is generic, or there is no stride to be found in its mask: the stride is that of the first pair (2i, 2i +
/// 1) of active lanes, and without such a pair 0 is tried.
std::optional<AffineVector> encode(const std::uint32_t* words, std::uint32_t mask, unsigned lanes);

}  // namespace lookahead::gpu
