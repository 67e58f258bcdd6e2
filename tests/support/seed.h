#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <vector>

namespace lookahead::test {

/// The seed of this program's random inputs: LOOKAHEAD_TEST_SEED if set, otherwise a new number for each process. It is
/// printed, so that a failed run can be repeated.
std::uint64_t random_seed();

/// For programs with the same inputs every time: LOOKAHEAD_TEST_SEED if set, else `usual`.
std::uint64_t seed_or(std::uint64_t usual);

/// The number of trials of a test: `usual` times LOOKAHEAD_TEST_TIMES, which is 1 if not set.
std::uint64_t often(std::uint64_t usual);

/// `often(usual)` of the elements, or all if there are fewer, drawn by the generator.
template <class T>
std::vector<T> some_of(const std::vector<T>& all, std::uint64_t usual, std::mt19937& random) {
    std::vector<T> drawn;
    std::ranges::sample(all, std::back_inserter(drawn), static_cast<std::ptrdiff_t>(often(usual)), random);
    return drawn;
}

}  // namespace lookahead::test
