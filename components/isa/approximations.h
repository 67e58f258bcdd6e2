#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "components/isa/float_values.h"

/// Internal to components/isa: the elementary functions of the .approx instructions. They use only IEEE additions,
/// multiplications and divisions of f64 and no libm, so every host computes the same bits. Each is within about
/// 0.5000001 ulp of the exact value before it is rounded to f32, far inside what the PTX ISA allows.
///
/// The polynomials are Chebyshev interpolants of the functions on the intervals given, in 50-digit arithmetic.
namespace lookahead::isa {

/// c[0] + c[1] x + c[2] x^2 + ...
template <std::size_t kSize>
inline double polynomial(double x, const double (&coefficients)[kSize]) {
    double value = coefficients[kSize - 1];
    for (std::size_t i = kSize - 1; i-- > 0;) { value = value * x + coefficients[i]; }
    return value;
}

/// 2^x for x in [-1000, 1000], relative error below 1e-12; NaN gives an arbitrary number.
inline double exp2_in_range(double x) {
    // On [-0.5, 0.5]; error 8.1e-13.
    static constexpr double kPower[] = {0x1.0000000000000p+0,  0x1.62e42fef84cf0p-1,  0x1.ebfbdff823cedp-3,
                                        0x1.c6b08dd6fd234p-5,  0x1.3b2ab7181b755p-7,  0x1.5d8745a728441p-10,
                                        0x1.4308ac85aa947p-13, 0x1.00dc4a532fb8ep-16, 0x1.63d136366db24p-20};
    // Adding 1.5 * 2^52 leaves the nearest whole number in the lowest bits.
    const double shifted = x + 0x1.8p52;
    const double whole = shifted - 0x1.8p52;
    const double scale = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
    return scale * polynomial(x - whole, kPower);
}

inline double exp2_of(double x) {
    const double above = x > -200.0 ? x : -200.0;  // beyond, f32 has only 0 and infinity
    const double inside = above < 200.0 ? above : 200.0;
    return x == x ? exp2_in_range(inside) : x;
}

/// log2 of a double converted from a float.
inline double log2_of(double x) {
    // atanh(s) * 2 / (s ln 2) by s^2, for s = (m - 1) / (m + 1), m in [sqrt(1/2), sqrt(2)]; error 7.8e-14.
    static constexpr double kLogarithm[] = {0x1.71547652b8252p+1, 0x1.ec709dc53a1cap-1, 0x1.2776c295ae0c7p-1,
                                            0x1.a61a2cf9f9e38p-2, 0x1.47959c992a71fp-2, 0x1.21ad2d776d25ap-2};
    constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    // Exponent and mantissa, the mantissa from sqrt(1/2) on. The exponent becomes a double as the low bits of 2^52.
    const std::uint64_t offset = bits - kSqrtHalf + (std::uint64_t{1023} << 52);
    const double exponent = std::bit_cast<double>(0x4330000000000000 | offset >> 52) - (0x1p52 + 1023);
    const double mantissa = std::bit_cast<double>((offset & 0x000fffffffffffff) + kSqrtHalf);
    const double s = (mantissa - 1.0) / (mantissa + 1.0);
    const double finite = exponent + s * polynomial(s * s, kLogarithm);
    const double infinity = std::bit_cast<double>(std::uint64_t{0x7ff0} << 48);
    const double nan = std::bit_cast<double>(kNan64);
    const double positive = x < infinity ? finite : x;
    const double defined = x > 0.0 ? positive : nan;
    return x == 0.0 ? -infinity : defined;
}

/// sin(2 pi t) for t in [-1/4, 1/4].
inline double sine_of_turns(double t) {
    static constexpr double kSine[] = {0x1.921fb54442d17p+2,  -0x1.4abbce625bd83p+5, 0x1.466bc677522bdp+6,
                                       -0x1.32d2cce1ea145p+6, 0x1.5078327046959p+5,  -0x1.e30631bdf732dp+3,
                                       0x1.e89f6fe44fe7bp+1,  -0x1.62903d02bb153p-1};
    return t * polynomial(t * t, kSine);
}
/// x radians in turns, less the nearest whole number; NaN for infinities.
inline double turns_of(double x) {
    const double turns = x * 0x1.45f306dc9c883p-3;
    return turns - std::nearbyint(turns);
}
inline double magnitude(double x) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0x7fffffffffffffff);
}
inline double with_sign_of(double value, double sign) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) |
                                 (std::bit_cast<std::uint64_t>(sign) & 0x8000000000000000));
}
inline double sin_of(double x) {
    const double turns = turns_of(x);
    const double size = magnitude(turns);
    const double folded = size > 0.25 ? 0.5 - size : size;
    const double value = sine_of_turns(with_sign_of(folded, turns));
    return x == 0.0 ? x : value;
}
inline double cos_of(double x) {
    return sine_of_turns(0.25 - magnitude(turns_of(x)));
}

inline double tanh_of(double x) {
    constexpr double kTwoLog2E = 0x1.71547652b82fep+1;
    const double size = magnitude(x);
    const double inside = size < 20.0 ? size : 20.0;  // beyond, f32 has only 1
    const double large = 1.0 - 2.0 / (exp2_in_range(inside * kTwoLog2E) + 1.0);
    // For small values the difference above loses digits.
    const double square = size * size;
    const double small = size - size * square * (1.0 / 3.0 - square * (2.0 / 15.0));
    const double value = with_sign_of(size < 0x1p-6 ? small : large, x);
    return x == x ? value : x;
}

}  // namespace lookahead::isa
