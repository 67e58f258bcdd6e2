#pragma once

#include "core/time/time.h"

namespace lookahead {

/// A clock whose n-th edge is at floor(n * 1e15 / frequency) femtoseconds, exactly: rounding errors do not accumulate.
/// An arrival after L cycles is edge(n + L); edge(n) + round(L * period) would drift from the edges.
class ClockDomain {
  public:
    /// ConfigurationError unless 1 Hz <= frequency_hz <= 1 THz.
    explicit ClockDomain(std::int64_t frequency_hz);

    std::int64_t frequency_hz() const { return frequency_; }

    /// The time of edge n >= 0; kTimeInfinity if it does not fit.
    Time edge(Cycle n) const {
        if (static_cast<std::uint64_t>(n) > fast_limit_) [[unlikely]] { return edge_in_128_bits(n); }
        return n * whole_ + static_cast<Time>(fraction(static_cast<std::uint64_t>(n)));
    }

    /// The least n with edge(n) >= t; kCycleInfinity for kTimeInfinity.
    Cycle cycle_at_or_after(Time t) const {
        if (t == kTimeInfinity) { return kCycleInfinity; }
        // The estimate is off by a few cycles at most, because a double holds 53 bits.
        Cycle n = static_cast<Cycle>(static_cast<double>(t) * cycles_per_femtosecond_);
        while (n > 0 && edge(n - 1) >= t) { --n; }
        while (edge(n) < t) { ++n; }
        return n;
    }

    /// The least of edge(n + cycles) - edge(n) over all n: the lookahead of a channel of that many cycles.
    Time least_span(Cycle cycles) const { return edge(cycles); }

  private:
    /// floor(n * remainder_ / frequency_). The reciprocal is rounded down and n * remainder_ < 2^63, so the
    /// quotient is right or one too small.
    std::uint64_t fraction(std::uint64_t n) const {
        const std::uint64_t product = n * remainder_;
        auto quotient = static_cast<std::uint64_t>((static_cast<Wide>(product) * reciprocal_) >> 64);
        quotient +=
            product - quotient * static_cast<std::uint64_t>(frequency_) >= static_cast<std::uint64_t>(frequency_);
        return quotient;
    }
    Time edge_in_128_bits(Cycle n) const;

    __extension__ using Wide = unsigned __int128;

    std::int64_t frequency_;
    std::int64_t whole_;        // 1e15 / frequency
    std::uint64_t remainder_;   // 1e15 % frequency
    std::uint64_t reciprocal_;  // floor((2^64 - 1) / frequency)
    std::uint64_t fast_limit_;  // the largest n whose edge fits and whose n * remainder_ stays below 2^63
    double cycles_per_femtosecond_;
};

}  // namespace lookahead
