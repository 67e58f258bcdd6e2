#pragma once

#include <cstdint>

namespace lookahead {

/// Simulated time in femtoseconds; a run starts at 0.
using Time = std::int64_t;
inline constexpr Time kTimeInfinity = INT64_MAX;
inline constexpr Time kFemtosecondsPerNanosecond = 1'000'000;

/// A count of edges of one clock domain; edge 0 is at time 0.
using Cycle = std::int64_t;
inline constexpr Cycle kCycleInfinity = INT64_MAX;

/// a + b for non-negative a and b, where infinity plus anything is infinity.
constexpr Time saturating_add(Time a, Time b) {
    return a > kTimeInfinity - b ? kTimeInfinity : a + b;
}

}  // namespace lookahead
