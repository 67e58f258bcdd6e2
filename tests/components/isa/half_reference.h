#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "components/isa/instruction.h"

/// Half precision by definition and by search, for references.
namespace lookahead::isa::test {

/// Sign, 5 bits of exponent with bias 15, 10 bits of fraction.
inline double value_of_half(std::uint16_t half) {
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const double sign = half >> 15 ? -1.0 : 1.0;
    if (exponent == 31) { return fraction == 0 ? sign * INFINITY : NAN; }
    if (exponent == 0) { return sign * std::ldexp(fraction, -24); }
    return sign * std::ldexp(1024 + fraction, exponent - 25);
}

inline std::uint16_t nearest_half(long double value, Rounding rounding) {
    if (std::isnan(value)) { return 0x7fff; }
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const long double size = std::fabs(value);
    if (std::isinf(size)) { return sign | 0x7c00; }
    // Positive halves are ordered like their codes. `below` is the last one that is not greater.
    static const std::vector<double> sizes = [] {
        std::vector<double> list;
        for (std::uint16_t code = 0; code < 0x7c00; ++code) { list.push_back(value_of_half(code)); }
        return list;
    }();
    const auto above = std::upper_bound(sizes.begin(), sizes.end(), size);
    const auto below = static_cast<std::uint16_t>(above - sizes.begin() - 1);
    const long double low = sizes[below];
    if (size == low) { return sign | below; }
    const long double high = above == sizes.end() ? 65536.0L : *above;
    const bool away = rounding == Rounding::rp ? sign == 0 : rounding == Rounding::rm ? sign != 0 : false;
    bool up = away;
    if (rounding == Rounding::rn || rounding == Rounding::none) {
        up = size - low > high - size || (size - low == high - size && below % 2 != 0);
    }
    if (size > high) {
        up = rounding != Rounding::rz && (rounding == Rounding::rn || rounding == Rounding::none || away);
    }
    return static_cast<std::uint16_t>(sign | (below + (up ? 1 : 0)));
}

}  // namespace lookahead::isa::test
