#include "core/time/clock_domain.h"

#include <doctest/doctest.h>

#include <random>
#include <type_traits>

#include "core/error/error.h"

using namespace lookahead;

namespace {

__extension__ using Wide = unsigned __int128;

Wide exact_edge(Cycle n, std::int64_t frequency) {
    return static_cast<Wide>(n) * 1'000'000'000'000'000u / static_cast<Wide>(frequency);
}

std::int64_t random_frequency(std::mt19937_64& random) {
    // Equal numbers of slow and fast clocks, and the ends of the range.
    const std::int64_t greatest = std::int64_t{1'000'000'000'000};
    const std::int64_t range = greatest >> (random() % 40);
    return random() % 50 == 0 ? greatest : 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(range));
}

}  // namespace

TEST_CASE("edges are exact for random clocks and cycles") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 300'000; ++i) {
        const std::int64_t frequency = random_frequency(random);
        const ClockDomain clock(frequency);
        const Cycle n = static_cast<Cycle>(random() >> (1 + random() % 63));
        const Wide exact = exact_edge(n, frequency);
        const Time expected = exact > static_cast<Wide>(kTimeInfinity) ? kTimeInfinity : static_cast<Time>(exact);
        REQUIRE_MESSAGE(clock.edge(n) == expected, "frequency ", frequency, " cycle ", n);
    }
}

TEST_CASE("the cycle at or after a time is the first whose edge is not before it") {
    std::mt19937_64 random(2);
    for (int i = 0; i < 200'000; ++i) {
        const std::int64_t frequency = random_frequency(random);
        const ClockDomain clock(frequency);
        Time t = static_cast<Time>(random() >> (1 + random() % 63));
        if (random() % 2 == 0) {  // at an edge or next to it
            t = clock.edge(clock.cycle_at_or_after(t / 2)) + static_cast<Time>(random() % 3) - 1;
            t = t < 0 ? 0 : t;
        }
        const Cycle n = clock.cycle_at_or_after(t);
        REQUIRE_MESSAGE(clock.edge(n) >= t, "frequency ", frequency, " time ", t);
        REQUIRE_MESSAGE((n == 0 || clock.edge(n - 1) < t), "frequency ", frequency, " time ", t);
    }
}

TEST_CASE("the least span is reached by some cycles and undercut by none") {
    std::mt19937_64 random(3);
    for (int i = 0; i < 300; ++i) {
        const std::int64_t frequency = 1 + static_cast<std::int64_t>(random() % 3'000'000'000u);
        const ClockDomain clock(frequency);
        const Cycle cycles = static_cast<Cycle>(random() % 1000);
        CHECK(clock.edge(cycles) - clock.edge(0) == clock.least_span(cycles));
        for (Cycle n = 0; n < 1000; ++n) {
            REQUIRE(clock.edge(n + cycles) - clock.edge(n) >= clock.least_span(cycles));
        }
    }
}

TEST_CASE("a clock that does not divide a second does not drift") {
    const ClockDomain clock(700'000'000);  // 1428571.43 fs
    CHECK(clock.edge(1) == 1'428'571);
    CHECK(clock.edge(7) == 10'000'000);
    CHECK(clock.edge(7'000'000'000) == 10'000'000'000'000'000);
}

TEST_CASE("infinite time is at infinite cycles") {
    const ClockDomain clock(1'000'000'000);
    CHECK(clock.cycle_at_or_after(kTimeInfinity) == kCycleInfinity);
    CHECK(clock.edge(kCycleInfinity) == kTimeInfinity);
}

TEST_CASE("a clock slower than 1 Hz or faster than 1 THz is refused") {
    CHECK_THROWS_AS(ClockDomain(0), ConfigurationError);
    CHECK_NOTHROW(ClockDomain(1));
    CHECK_NOTHROW(ClockDomain(1'000'000'000'000));
    CHECK_THROWS_AS(ClockDomain(1'000'000'000'001), ConfigurationError);
}

TEST_CASE("a clock domain is a plain value") {
    static_assert(std::is_trivially_copyable_v<ClockDomain>);
    CHECK(ClockDomain(5).frequency_hz() == 5);
}
