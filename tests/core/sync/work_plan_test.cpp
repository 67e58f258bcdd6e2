#include "core/sync/work_plan.h"

#include <doctest/doctest.h>

#include <functional>
#include <numeric>

#include "tests/support/seed.h"

using namespace lookahead;

namespace {

using Costs = std::vector<std::uint64_t>;

std::vector<std::size_t> homes(const WorkPlan& plan, std::size_t items) {
    std::vector<std::size_t> homes(items, plan.parts());
    for (std::size_t part = 0; part < plan.parts(); ++part) {
        for (const std::uint32_t item : plan.part(part)) {
            REQUIRE(homes[item] == plan.parts());  // once
            homes[item] = part;
        }
    }
    REQUIRE(std::ranges::count(homes, plan.parts()) == 0);
    return homes;
}

std::vector<std::uint64_t> loads(const WorkPlan& plan, const Costs& costs) {
    std::vector<std::uint64_t> loads(plan.parts(), 0);
    for (std::size_t part = 0; part < plan.parts(); ++part) {
        for (const std::uint32_t item : plan.part(part)) { loads[part] += costs[item]; }
    }
    return loads;
}

}  // namespace

TEST_CASE("a plan begins with one part, which has all items in their order") {
    const WorkPlan plan(4);
    REQUIRE(plan.parts() == 1);
    CHECK(std::ranges::equal(plan.part(0), std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST_CASE("neighbours begin together, and the longest of a part goes first") {
    WorkPlan plan(6);
    const Costs costs{5, 9, 7, 7, 6, 8};
    plan.make(2, costs);
    CHECK(std::ranges::equal(plan.part(0), std::vector<std::uint32_t>{1, 2, 0}));
    CHECK(std::ranges::equal(plan.part(1), std::vector<std::uint32_t>{5, 3, 4}));
}

TEST_CASE("items move only where a part has more than its share, by a twentieth") {
    WorkPlan plan(6);
    Costs costs{10, 10, 10, 10, 10, 10};
    plan.make(2, costs);
    const auto before = homes(plan, 6);
    costs = {11, 10, 10, 10, 10, 9};  // 31 of 60: within the tolerance
    plan.make(2, costs);
    CHECK(homes(plan, 6) == before);
    costs = {14, 10, 10, 10, 10, 2};  // 34 of 56: six fits nowhere, although the parts differ by twelve
    plan.make(2, costs);
    CHECK(homes(plan, 6) == before);
    costs = {14, 10, 6, 10, 10, 2};  // 30 of 52; six would leave 24 and 28
    plan.make(2, costs);
    CHECK(homes(plan, 6) == before);
    costs = {20, 10, 4, 10, 10, 2};  // 34 of 56: four moves
    plan.make(2, costs);
    CHECK(homes(plan, 6) == std::vector<std::size_t>{0, 0, 1, 1, 1, 1});
    CHECK(loads(plan, costs) == std::vector<std::uint64_t>{30, 26});
}

TEST_CASE("of random costs no part has more than its share and two of the largest") {
    std::mt19937_64 random(lookahead::test::random_seed());
    for (int trial = 0; trial < 200; ++trial) {
        const std::size_t items = 1 + random() % 150;
        const std::size_t parts = 1 + random() % 16;
        WorkPlan plan(items);
        for (int round = 0; round < 3; ++round) {
            Costs costs(items);
            std::ranges::generate(costs, [&] { return random() % 5 == 0 ? random() % 10'000 : random() % 100; });
            plan.make(parts, costs);
            homes(plan, items);
            const auto all = loads(plan, costs);
            const std::uint64_t mean = std::reduce(all.begin(), all.end()) / parts;
            CHECK(*std::ranges::max_element(all) <= mean + mean / 20 + 2 * *std::ranges::max_element(costs) + 1);
            for (std::size_t part = 0; part < parts; ++part) {
                CHECK(std::ranges::is_sorted(plan.part(part), std::greater{},
                                             [&](std::uint32_t item) { return costs[item]; }));
            }
        }
    }
}

TEST_CASE("without any costs, and with more parts than items, every item has a home") {
    WorkPlan plan(3);
    plan.make(5, Costs(3, 0));
    CHECK(plan.parts() == 5);
    homes(plan, 3);
    plan.make(1, Costs(3, 0));
    CHECK(std::ranges::equal(plan.part(0), std::vector<std::uint32_t>{0, 1, 2}));
}
