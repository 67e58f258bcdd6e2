#include "components/mechanisms/avc/affine_vector.h"

#include <bit>

#include "core/mutation/rule.h"

namespace lookahead::gpu {

namespace {

/// The stride of the first active pair. Its words are neighbouring multiples of the stride, so their xor has the
/// stride's bit and above it only the bits that the carry changes: the stride is the lowest bit. Nothing if it exceeds
/// the longest stride that the code has.
std::optional<std::uint8_t> stride_of(const std::uint32_t* words, std::uint32_t mask) {
    const std::uint32_t pairs = mask & mask >> 1 & 0x5555'5555u;
    if (pairs == 0) { return AffineVector::kUniform; }
    const int first = std::countr_zero(pairs);
    const std::uint32_t difference = words[first] ^ words[first + 1];
    if (difference == 0) { return AffineVector::kUniform; }
    const int lowest = std::countr_zero(difference);
    if (lowest > AffineVector::kLongest) { return std::nullopt; }
    return static_cast<std::uint8_t>(lowest);
}

}  // namespace

std::optional<AffineVector> encode(const std::uint32_t* words, std::uint32_t mask, unsigned lanes) {
    if (mask == 0) { return std::nullopt; }
    const std::optional<std::uint8_t> stride = stride_of(words, mask);
    if (!stride) { return std::nullopt; }
    AffineVector candidate{0, *stride};
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    candidate.base = words[first] - candidate.word(first);
    const std::uint32_t below_stride = *stride == AffineVector::kUniform ? 0 : (std::uint32_t{1} << *stride) - 1;
    if (LOOKAHEAD_RULE(base_is_a_multiple_of_the_stride) && (candidate.base & below_stride) != 0) {
        return std::nullopt;
    }
    std::uint32_t differs = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) {
        differs |= (words[lane] ^ candidate.word(lane)) & -(mask >> lane & 1);
    }
    if (LOOKAHEAD_RULE(candidate_is_compared) && differs != 0) { return std::nullopt; }
    return candidate;
}

}  // namespace lookahead::gpu
