#pragma once

#include <cstdint>
#include <string>

namespace lookahead::finaliser::test {

/// Bytes of global memory that each thread of a random kernel owns.
inline constexpr std::uint32_t kThreadBytes = 1024;
inline constexpr std::uint32_t kRandomThreads = 6;  ///< unless said otherwise

struct RandomOptions {
    std::uint32_t threads = kRandomThreads;
    bool plain = false;  ///< only instructions of tests/functional's scalar interpreter: no lop3, bfi, packing moves
};

/// A random kernel `k(out, a, b)`: arithmetic of all widths, predicates, loads and stores (including vectors and narrow
/// ones) in global and shared memory, nested branches, and loops that end. Each thread works on its own kThreadBytes
/// bytes at `out` and finally stores all its registers there. No register is read before it is written.
std::string random_ptx(std::uint64_t seed, const RandomOptions& options = {});

}  // namespace lookahead::finaliser::test
