#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace lookahead {

/// What a process has in memory now; 0 if it is gone.
std::uint64_t resident_bytes(pid_t process);

/// Exit code of a point that took more time or memory than it may, however it was ended: 128 + SIGKILL.
inline constexpr int kOverrunCode = 137;

std::string time_overrun(double timeout_s);
std::string memory_overrun(std::uint64_t memory_bytes);

}  // namespace lookahead
