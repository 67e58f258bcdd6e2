#pragma once

#include <time.h>

#include <cstdint>

namespace lookahead {

/// Reads one of the host's clocks, in nanoseconds: CLOCK_MONOTONIC, or CLOCK_THREAD_CPUTIME_ID, which stands still
/// while the thread does not run.
inline std::uint64_t nanoseconds_of(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace lookahead
