#include <doctest/doctest.h>

#include <random>
#include <set>
#include <utility>
#include <vector>

#include "components/sm/pipeline/timing_wheel.h"
#include "tests/support/seed.h"

namespace lookahead::gpu {
namespace {

std::vector<std::uint64_t> taken(TimingWheel& wheel, Cycle at) {
    std::vector<std::uint64_t> entries;
    wheel.take(at, [&](std::uint64_t entry) { entries.push_back(entry); });
    return entries;
}

TEST_CASE("an entry is due in its cycle and not in those beside it") {
    TimingWheel wheel(330);
    wheel.schedule(10, 340, 7);
    CHECK(wheel.next(10) == 340);
    CHECK(taken(wheel, 339).empty());
    CHECK(taken(wheel, 340) == std::vector<std::uint64_t>{7});
    CHECK(taken(wheel, 340).empty());
    CHECK(wheel.empty());
    CHECK(wheel.next(340) == kNever);
}

TEST_CASE("entries may be scheduled while others are taken") {
    TimingWheel wheel(8);
    wheel.schedule(0, 3, 1);
    wheel.take(3, [&](std::uint64_t entry) { wheel.schedule(3, 4, entry + 1); });
    CHECK(taken(wheel, 4) == std::vector<std::uint64_t>{2});
}

TEST_CASE("the wheel agrees with a sorted set over random delays") {
    const std::uint64_t seed = lookahead::test::random_seed();
    CAPTURE(seed);
    std::mt19937 random(seed);
    TimingWheel wheel(500);
    std::multiset<std::pair<Cycle, std::uint64_t>> expected;
    Cycle now = 0;
    for (unsigned i = 0; i < 20'000; ++i) {
        for (unsigned n = random() % 3; n > 0; --n) {
            const Cycle at = now + 1 + random() % 500;
            wheel.schedule(now, at, i);
            expected.insert({at, i});
        }
        const Cycle next = wheel.next(now);
        REQUIRE(next == (expected.empty() ? kNever : expected.begin()->first));
        now = random() % 4 == 0 && next != kNever ? next : now + 1;
        if (next < now) {
            now = next;
        }
        std::multiset<std::pair<Cycle, std::uint64_t>> due;
        wheel.take(now, [&](std::uint64_t entry) { due.insert({now, entry}); });
        for (const auto& entry : due) {
            const auto found = expected.find(entry);
            REQUIRE(found != expected.end());
            expected.erase(found);
        }
        REQUIRE((expected.empty() || expected.begin()->first > now));
    }
}

TEST_CASE("entries of a restored wheel come out in the same order") {
    TimingWheel wheel(64), copy(64);
    for (std::uint64_t entry = 0; entry < 20; ++entry) {
        wheel.schedule(5, 6 + static_cast<Cycle>(entry % 4), entry);
    }
    std::vector<std::pair<Cycle, std::uint64_t>> entries;
    wheel.for_each(5, [&](Cycle at, std::uint64_t entry) { entries.push_back({at, entry}); });
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        copy.schedule(5, entry->first, entry->second);
    }
    for (Cycle at = 6; at < 10; ++at) {
        CHECK(taken(wheel, at) == taken(copy, at));
    }
}

}  // namespace
}  // namespace lookahead::gpu
