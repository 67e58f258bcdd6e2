#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace lookahead {

/// The resident memory of a process in bytes; 0 if it has ended.
std::uint64_t resident_bytes(pid_t process);

/// Exit code of a point that exceeded its time or memory, however it was ended: 128 + SIGKILL.
inline constexpr int kOverrunCode = 137;

std::string time_overrun(double timeout_s);
std::string memory_overrun(std::uint64_t memory_bytes);

}  // namespace lookahead
