#pragma once

#include <sys/types.h>
#include <chrono>
#include <cstdint>
#include <string>

// The limits of a sweep's points, and time as sweeps measure it.

namespace lookahead {

/// The resident memory of a process in bytes; 0 if it has ended.
std::uint64_t resident_bytes(pid_t process);

/// Exit code of a point that exceeded its time or memory, however it was ended: 128 + SIGKILL.
inline constexpr int kOverrunCode = 137;

/// The messages of points that exceeded their time or memory.
std::string time_overrun(double timeout_s);
std::string memory_overrun(std::uint64_t memory_bytes);

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace lookahead
