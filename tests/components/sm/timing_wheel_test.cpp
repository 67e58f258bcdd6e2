#include <doctest/doctest.h>

#include <map>
#include <utility>

#include "components/sm/timing_wheel.h"
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
    CHECK(wheel.next(340) == kCycleInfinity);
}

TEST_CASE("entries may be scheduled while others are taken") {
    TimingWheel wheel(8);
    wheel.schedule(0, 3, 1);
    wheel.take(3, [&](std::uint64_t entry) { wheel.schedule(3, 4, entry + 1); });
    CHECK(taken(wheel, 4) == std::vector<std::uint64_t>{2});
}

TEST_CASE("the wheel gives entries in the cycle of their due time, in the order in which they went in") {
    std::mt19937 random(lookahead::test::random_seed());
    for (const Cycle horizon : {1, 63, 64, 100, 300, 500}) {
        TimingWheel wheel(horizon);
        std::multimap<Cycle, std::uint32_t> expected;
        std::vector<std::uint32_t> free;
        for (std::uint32_t item = 0; item < 200; ++item) { free.push_back(item); }
        // Every cycle, or the next one with an entry.
        for (Cycle now = 0; now < 5000; now = random() % 4 == 0 && !wheel.empty() ? wheel.next(now) : now + 1) {
            std::vector<std::uint32_t> due;
            for (auto [at, end] = expected.equal_range(now); at != end; ++at) { due.push_back(at->second); }
            expected.erase(now);
            std::vector<std::uint32_t> taken;
            wheel.take(now, [&](std::uint64_t item) { taken.push_back(static_cast<std::uint32_t>(item)); });
            REQUIRE(taken == due);
            free.insert(free.end(), taken.begin(), taken.end());
            while (!free.empty() && random() % 3 == 0) {
                const Cycle when = now + 1 + random() % horizon;
                wheel.schedule(now, when, free.back());
                expected.emplace(when, free.back());
                free.pop_back();
            }
            REQUIRE(wheel.next(now) == (expected.empty() ? kCycleInfinity : expected.begin()->first));
            REQUIRE(wheel.empty() == expected.empty());
        }
    }
}

TEST_CASE("entries of a restored wheel come out in the same order") {
    TimingWheel wheel(64), copy(64);
    for (std::uint64_t entry = 0; entry < 20; ++entry) { wheel.schedule(5, 6 + static_cast<Cycle>(entry % 4), entry); }
    std::vector<std::pair<Cycle, std::uint64_t>> entries;
    wheel.for_each(5, [&](Cycle at, std::uint64_t entry) { entries.push_back({at, entry}); });
    for (const auto& [at, entry] : entries) { copy.schedule(5, at, entry); }
    for (Cycle at = 6; at < 10; ++at) { CHECK(taken(wheel, at) == taken(copy, at)); }
}

}  // namespace
}  // namespace lookahead::gpu
