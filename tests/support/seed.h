#pragma once

#include <cstdint>

namespace lookahead::test {

/// The seed of this program's random inputs: LOOKAHEAD_TEST_SEED if set, otherwise a new number for each process. It is
/// printed, so that a failed run can be repeated.
std::uint64_t random_seed();

/// For programs with the same inputs every time: LOOKAHEAD_TEST_SEED if set, else `usual`.
std::uint64_t seed_or(std::uint64_t usual);

/// The number of trials of a test: `usual` times LOOKAHEAD_TEST_TIMES, which is 1 if not set.
std::uint64_t often(std::uint64_t usual);

}  // namespace lookahead::test
