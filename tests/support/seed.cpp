#include "tests/support/seed.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace lookahead::test {

namespace {

constexpr const char* kVariable = "LOOKAHEAD_TEST_SEED";

}  // namespace

std::uint64_t random_seed() {
    static const std::uint64_t seed = [] {
        const std::uint64_t chosen = seed_or(std::random_device{}());
        std::printf("seed %" PRIu64 "; %s=%" PRIu64 " repeats this run\n", chosen, kVariable, chosen);
        std::fflush(stdout);
        return chosen;
    }();
    return seed;
}

std::uint64_t seed_or(std::uint64_t usual) {
    const char* const given = std::getenv(kVariable);
    return given != nullptr ? std::strtoull(given, nullptr, 10) : usual;
}

std::uint64_t often(std::uint64_t usual) {
    const char* const times = std::getenv("LOOKAHEAD_TEST_TIMES");
    return usual * (times != nullptr ? std::strtoull(times, nullptr, 10) : 1);
}

}  // namespace lookahead::test
