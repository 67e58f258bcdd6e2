#include "core/time/clock_domain.h"

#include <algorithm>

#include "core/error/error.h"

namespace lookahead {
namespace {

constexpr std::int64_t kFemtosecondsPerSecond = 1'000'000'000'000'000;
constexpr std::int64_t kMaximumFrequency = 1'000'000'000'000;

}  // namespace

ClockDomain::ClockDomain(std::int64_t frequency_hz) : frequency_(frequency_hz) {
    if (frequency_hz < 1 || frequency_hz > kMaximumFrequency) {
        throw ConfigurationError("a clock of {} Hz is out of range; give one from 1 Hz to 1 THz", frequency_hz);
    }
    whole_ = kFemtosecondsPerSecond / frequency_;
    remainder_ = static_cast<std::uint64_t>(kFemtosecondsPerSecond % frequency_);
    reciprocal_ = UINT64_MAX / static_cast<std::uint64_t>(frequency_);
    const auto most = static_cast<std::uint64_t>(INT64_MAX);
    fast_limit_ = most / static_cast<std::uint64_t>(whole_ + 1);
    if (remainder_ > 0) { fast_limit_ = std::min(fast_limit_, most / remainder_); }
    cycles_per_femtosecond_ = static_cast<double>(frequency_) / static_cast<double>(kFemtosecondsPerSecond);
}

Time ClockDomain::edge_in_128_bits(Cycle n) const {
    LOOKAHEAD_ASSERT(n >= 0, "cycle {} lies before the start of the clock", n);
    const Wide exact = static_cast<Wide>(n) * static_cast<Wide>(kFemtosecondsPerSecond) / static_cast<Wide>(frequency_);
    return exact > static_cast<Wide>(kTimeInfinity) ? kTimeInfinity : static_cast<Time>(exact);
}

}  // namespace lookahead
