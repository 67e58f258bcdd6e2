#pragma once
// Time as sweeps measure it for limits and estimates.

#include <chrono>

namespace lookahead {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace lookahead
