#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace lookahead {

namespace detail {

__extension__ using Wide = unsigned __int128;
inline constexpr unsigned kLogSteps = 256;

/// log2(1 + i / kLogSteps) in units of 2^-32, bit by bit: squaring a number doubles its logarithm.
constexpr std::uint64_t log2_of_step(unsigned i) {
    Wide x = (Wide{1} << 62) + (Wide{i} << 62) / kLogSteps;
    std::uint64_t log = 0;
    for (int bit = 31; bit >= 0 && i < kLogSteps; --bit) {
        x = (x * x) >> 62;
        if (x >= (Wide{1} << 63)) {
            x >>= 1;
            log |= std::uint64_t{1} << bit;
        }
    }
    return i == kLogSteps ? std::uint64_t{1} << 32 : log;
}

inline constexpr auto kLogTable = [] {
    std::array<std::uint64_t, kLogSteps + 1> table{};
    for (unsigned i = 0; i <= kLogSteps; ++i) { table[i] = log2_of_step(i); }
    return table;
}();

}  // namespace detail

/// -ln((random + 1) / 2^64) * mean, with an error of at most 1e-5 of the mean. Computed in integers, so that it is the
/// same on every host. `mean` must be below 2^24.
inline std::int64_t exponential_delay(std::uint64_t random, std::uint32_t mean) {
    using detail::kLogTable;
    const int zeros = std::countl_zero(random | 1);
    const std::uint64_t mantissa = (random | 1) << zeros;  // its top bit is 1
    const std::uint64_t step = (mantissa >> 55) & 0xFF;
    const std::uint64_t rest = (mantissa >> 23) & 0xFFFF'FFFF;  // in units of 2^-32 steps
    const std::uint64_t log = kLogTable[step] + (((kLogTable[step + 1] - kLogTable[step]) * rest) >> 32);
    const std::uint64_t minus_log2 = (static_cast<std::uint64_t>(zeros + 1) << 32) - log;
    constexpr std::uint64_t kLn2 = 2'977'044'472;  // ln 2 in units of 2^-32, rounded
    const std::uint64_t minus_ln = static_cast<std::uint64_t>((static_cast<detail::Wide>(minus_log2) * kLn2) >> 32);
    return static_cast<std::int64_t>((static_cast<detail::Wide>(minus_ln) * mean) >> 32);
}

}  // namespace lookahead
