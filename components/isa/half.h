#pragma once

#include <immintrin.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "components/isa/operation.h"

/// Internal to components/isa: 16-bit floating-point values.
namespace lookahead::isa {

/// The NaN that half-precision instructions give (PTX ISA, "Half Precision Floating Point Instructions").
inline constexpr std::uint16_t kNan16 = 0x7fff;
inline constexpr std::uint16_t kOne16 = 0x3c00;

inline float float_of_half(std::uint16_t half) {
    return _cvtsh_ss(half);
}

/// Rounds `magnitude` >= 0 to a whole number; `negative` tells which direction is down.
inline double round_magnitude(double magnitude, bool negative, Rounding rounding) {
    switch (rounding) {
        case Rounding::rz:
            return std::floor(magnitude);
        case Rounding::rm:
            return negative ? std::ceil(magnitude) : std::floor(magnitude);
        case Rounding::rp:
            return negative ? std::floor(magnitude) : std::ceil(magnitude);
        default:
            return std::nearbyint(magnitude);
    }
}

/// 2^exponent; `exponent` must be that of a normal number.
inline double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Rounds once, from f64, so that results that are exact in f64 are rounded correctly.
inline std::uint16_t half_of(double value, Rounding rounding) {
    if (value != value) { return kNan16; }
    const bool negative = std::signbit(value);
    const auto sign = static_cast<std::uint16_t>(negative ? 0x8000 : 0);
    const double magnitude = std::fabs(value);
    constexpr std::uint16_t kInfinity = 0x7c00;
    if (std::isinf(magnitude)) { return sign | kInfinity; }
    const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - 1023;
    const int scale = exponent < -14 ? -14 : exponent;  // subnormals share the least normal's
    // In units of the last place: a power of two, so that nothing is lost before the rounding.
    const double units = round_magnitude(magnitude * power_of_two(10 - scale), negative, rounding);
    // A carry into the next binade is a carry into the exponent's field.
    const double encoded = units + (exponent < -14 ? 0.0 : 1024.0 * (scale + 14));
    if (encoded < kInfinity) { return sign | static_cast<std::uint16_t>(encoded); }
    const bool inward = rounding == Rounding::rz || rounding == (negative ? Rounding::rp : Rounding::rm);
    return sign | static_cast<std::uint16_t>(inward ? kInfinity - 1 : kInfinity);
}

}  // namespace lookahead::isa
