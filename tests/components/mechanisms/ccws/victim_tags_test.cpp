#include "components/mechanisms/ccws/victim_tags.h"

#include <doctest/doctest.h>

#include <deque>
#include <map>

#include "core/error/error.h"
#include "core/state/archives.h"
#include "tests/support/seed.h"

namespace lookahead::gpu {
namespace {

/// The n-th line of a set of two.
std::uint64_t line_of(std::uint64_t n, unsigned set = 0) {
    return (2 * n + set) * kLineBytes;
}

TEST_CASE("a set keeps the eight lines that were inserted last") {
    for (const std::uint64_t lines : {8u, 9u}) {
        VictimTags victims(1, 16, 8);
        for (std::uint64_t n = 0; n < lines; ++n) { victims.insert(0, line_of(n)); }
        CHECK(victims.take(0, line_of(0)) == (lines == 8));
        CHECK(victims.take(0, line_of(1)));
        CHECK(victims.take(0, line_of(lines - 1)));
        CHECK(!victims.take(0, line_of(lines)));
    }
}

TEST_CASE("a line that is inserted again is the youngest and stands there once") {
    VictimTags victims(1, 16, 8);
    for (std::uint64_t n = 0; n < 8; ++n) { victims.insert(0, line_of(n)); }
    victims.insert(0, line_of(0));
    victims.insert(0, line_of(8));
    CHECK(victims.take(0, line_of(0)));
    CHECK(!victims.take(0, line_of(0)));
    CHECK(!victims.take(0, line_of(1)));
    CHECK(victims.take(0, line_of(2)));
}

TEST_CASE("sets and warps have lines of their own") {
    VictimTags victims(2, 16, 8);
    for (std::uint64_t n = 0; n < 8; ++n) { victims.insert(0, line_of(n)); }
    victims.insert(0, line_of(8, 1));
    victims.insert(1, line_of(9));
    CHECK(victims.take(0, line_of(0)));
    CHECK(victims.take(0, line_of(8, 1)));
    CHECK(!victims.take(0, line_of(9)));
    CHECK(victims.take(1, line_of(9)));
    victims.insert(1, line_of(10));
    victims.clear(0);
    CHECK(!victims.take(0, line_of(1)));
    CHECK(victims.take(1, line_of(10)));
}

TEST_CASE("a tag that was hit leaves its place to another one") {
    VictimTags victims(1, 16, 8);
    for (std::uint64_t n = 0; n < 8; ++n) { victims.insert(0, line_of(n)); }
    CHECK(victims.take(0, line_of(4)));
    CHECK(!victims.take(0, line_of(4)));
    victims.insert(0, line_of(8));
    CHECK(victims.take(0, line_of(0)));
}

TEST_CASE("the arrays are queues without repetition, and go on alike after a checkpoint") {
    std::mt19937_64 random(lookahead::test::random_seed());
    constexpr unsigned kWays = 4, kSets = 3, kWarps = 5;
    VictimTags victims(kWarps, kWays * kSets, kWays);
    std::map<std::pair<unsigned, unsigned>, std::deque<std::uint64_t>> model;
    for (unsigned step = 0; step < 20'000; ++step) {
        const auto warp = static_cast<unsigned>(random() % kWarps);
        const std::uint64_t number = random() % 30;
        std::deque<std::uint64_t>& set = model[{warp, static_cast<unsigned>(number % kSets)}];
        const auto found = std::find(set.begin(), set.end(), number);
        const bool there = found != set.end();
        if (there) { set.erase(found); }
        if (random() % 3 == 0) {
            REQUIRE(victims.take(warp, number * kLineBytes) == there);
        } else {
            victims.insert(warp, number * kLineBytes);
            set.push_front(number);
            if (set.size() > kWays) { set.pop_back(); }
        }
        if (step % 1000 == 0) {
            const std::string bytes = saved_state(victims);
            victims = VictimTags(kWarps, kWays * kSets, kWays);
            load_state(victims, bytes);
        }
    }
}

TEST_CASE("entries are a multiple of ways") {
    CHECK_NOTHROW(VictimTags(1, 24, 8));
    CHECK_THROWS_WITH_AS(VictimTags(1, 20, 8), doctest::Contains("ccws.victim_entries is 20"), ConfigurationError);
}

}  // namespace
}  // namespace lookahead::gpu
