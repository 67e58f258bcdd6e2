#pragma once

#include <cstdint>

#include "tests/functional/simt/three_devices.h"

namespace lookahead::test {

/// A program whose result is the same in any order of its threads: structured and unstructured control flow, exits from
/// loops, calls, carries, integers of 16 to 64 bits, floating point under all roundings, conversions, local memory,
/// indexed parameters, integer atomics whose sums do not depend on the order, shared memory between barriers, and
/// instructions of the whole warp where all lanes are. Its register limit and other options of the finaliser go with
/// the seed too. `apart`: lanes of a warp also meet at different places and take locks, for which it takes convergence
/// barriers.
Program random_program(std::uint64_t seed, bool apart = false);

/// The first of a test's seeds: LOOKAHEAD_TEST_SEED, or 1.
std::uint64_t first_seed();

}  // namespace lookahead::test
