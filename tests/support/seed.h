#pragma once

#include <cstdint>

namespace lookahead::test {

/// What this program draws its random inputs from: LOOKAHEAD_TEST_SEED where that is set, otherwise a new number for
/// each process. It is printed, so that a failed run can be repeated.
std::uint64_t random_seed();

/// For programs whose inputs are to be the same every time: LOOKAHEAD_TEST_SEED where that is set, otherwise `usual`.
std::uint64_t seed_or(std::uint64_t usual);

/// How often a test tries what it draws: `usual` times LOOKAHEAD_TEST_TIMES, which is 1 where it is not set.
std::uint64_t often(std::uint64_t usual);

}  // namespace lookahead::test
