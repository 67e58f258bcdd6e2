#pragma once

#include <cstdint>
#include <optional>

namespace lookahead::gpu {

/// A vector of up to 32 lanes in compact form (Collange and Kouyoumdjian, 2011, end of section 2.3): lane i holds base
/// + i * 2^stride, or base in every lane. The base is a multiple of 2^stride; arithmetic is modulo 2^32.
struct AffineVector {
    /// The largest exponent. Three bits encode eight strides: 0 and 1, 2, 4, ..., 64.
    static constexpr std::uint8_t kLongest = 6;
    static constexpr std::uint8_t kUniform = 7;  ///< the code for stride 0

    std::uint32_t base = 0;
    std::uint8_t stride = kUniform;  ///< log2 of the stride, or kUniform

    /// Decodes one lane (the decoding unit, section 5.2).
    std::uint32_t word(unsigned lane) const { return base + (stride == kUniform ? 0 : lane << stride); }
    bool operator==(const AffineVector&) const = default;
};

/// Encodes the lanes of `mask`, of the 32 or 16 (`lanes`) words at `words` (the encoding unit, section 5.2). Takes the
/// stride from the first pair (2i, 2i + 1) of active lanes, or tries 0 if there is no such pair. Returns nothing if the
/// words do not fit that stride.
std::optional<AffineVector> encode(const std::uint32_t* words, std::uint32_t mask, unsigned lanes);

}  // namespace lookahead::gpu
