#include "core/phold/exponential.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace lookahead;

namespace {
constexpr std::uint32_t kMean = 1'000'000;
}

TEST_CASE("the integer logarithm is within 1e-5 of the mean of the real one") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 200'000; ++i) {
        const std::uint64_t draw = random() >> (random() % 64);
        const double exact = -std::log((static_cast<double>(draw | 1)) / 0x1p64) * kMean;
        REQUIRE(std::abs(static_cast<double>(exponential_delay(draw, kMean)) - exact) < 1e-5 * kMean + 1);
    }
}

TEST_CASE("delays fall as the draw grows, from 64 ln 2 means down to nothing") {
    CHECK(exponential_delay(UINT64_MAX, kMean) == 0);
    CHECK(std::abs(static_cast<double>(exponential_delay(0, kMean)) - 64 * std::log(2.0) * kMean) < 20);
    std::int64_t last = exponential_delay(0, kMean);
    for (std::uint64_t draw = 1; draw < UINT64_MAX - (std::uint64_t{1} << 50); draw += std::uint64_t{1} << 50) {
        const std::int64_t delay = exponential_delay(draw, kMean);
        REQUIRE(delay <= last);
        last = delay;
    }
}

TEST_CASE("the mean and the variance are those of an exponential distribution") {
    std::mt19937_64 random(2);
    constexpr int kDraws = 400'000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double x = static_cast<double>(exponential_delay(random(), kMean)) / kMean;
        sum += x;
        squares += x * x;
    }
    CHECK(sum / kDraws == doctest::Approx(1).epsilon(0.01));
    CHECK(squares / kDraws == doctest::Approx(2).epsilon(0.02));
}
