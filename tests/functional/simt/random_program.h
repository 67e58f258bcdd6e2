#pragma once

#include "tests/functional/simt/three_devices.h"

namespace lookahead::test {

/// A program whose result does not depend on the order of its threads: structured and unstructured control flow, exits
/// from loops, calls, carries, integers of 16 to 64 bits, floating point under all roundings, conversions, local
/// memory, indexed parameters, integer atomics with order-independent sums, shared memory between barriers, and
/// whole-warp instructions where all lanes are present. The seed also determines its register limit and other finaliser
/// options. `apart`: lanes of a warp also meet at different places and take locks, which requires convergence barriers.
Program random_program(std::uint64_t seed, bool apart = false);

/// The first seed of a test: LOOKAHEAD_TEST_SEED, or 1.
std::uint64_t first_seed();

}  // namespace lookahead::test
