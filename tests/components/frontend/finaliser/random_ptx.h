#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "components/device/device.h"

namespace lookahead::finaliser::test {

/// Bytes of global memory that each thread of a random kernel owns.
inline constexpr std::uint32_t kThreadBytes = 1024;
inline constexpr std::uint32_t kRandomThreads = 6;  ///< unless said otherwise

/// A random kernel `k(out, a, b)`: arithmetic of all widths, predicates, loads and stores (including vectors and narrow
/// ones) in global and shared memory, nested branches, loops that end, and barriers. Each thread works on its own
/// kThreadBytes bytes at `out` and finally stores all its registers there. No register is read before it is written.
std::string random_ptx(std::uint64_t seed, std::uint32_t threads = kRandomThreads);

/// Launches a random kernel once on the device, which has nothing else. Returns what it leaves at `out`, where the seed
/// has put random bytes.
std::vector<std::byte> memory_after(Device& device, std::uint64_t seed, std::uint32_t threads = kRandomThreads);

}  // namespace lookahead::finaliser::test
