// Who takes which LP's part of which step.
#include "core/sync/side_steps.h"

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "core/error/error.h"

using namespace lookahead;

namespace {

constexpr std::size_t kLps = 5;
const std::vector<std::uint8_t> kSideOf = {0, 1, 0, 1, 1};
constexpr std::array<Time, 2> kNothingKept = {kTimeInfinity, kTimeInfinity};

struct Begun : SideSteps {
    explicit Begun(std::size_t parts = 1) : SideSteps(kLps, parts) {
        WorkPlan plan(kLps);
        plan.make(parts, std::vector<std::uint64_t>(kLps, 1));
        begin(plan, kSideOf);
    }
};

SideSteps::Task claimed(SideSteps& steps, std::size_t member = 0) {
    SideSteps::Task task{};
    REQUIRE(steps.claim(member, task));
    return task;
}

std::vector<std::uint32_t> claim_all(SideSteps& steps, std::uint64_t number) {
    std::vector<std::uint32_t> lps;
    for (SideSteps::Task task{}; steps.claim(0, task);) {
        CHECK(task.step->number == number);
        lps.push_back(task.lp);
    }
    return lps;
}

}  // namespace

TEST_CASE("each LP of a side is claimed once in each of its steps, and of no side before its step is open") {
    Begun steps;
    SideSteps::Task task{};
    CHECK_FALSE(steps.claim(0, task));
    steps.open({.number = 1, .side = 1});
    CHECK(claim_all(steps, 1) == std::vector<std::uint32_t>{1, 3, 4});
    steps.open({.number = 1, .side = 0});
    CHECK(claim_all(steps, 1) == std::vector<std::uint32_t>{0, 2});
}

TEST_CASE("of the steps that are open the oldest comes first, and of two of an age that of the first side") {
    Begun steps;
    steps.open({.number = 1, .side = 1});
    steps.open({.number = 1, .side = 0});
    for (int left = 2; left > 0; --left) {
        const SideSteps::Task task = claimed(steps);
        CHECK(task.step->side == 0);
        steps.end(0, task, 0, kTimeInfinity, kNothingKept);
    }
    steps.open({.number = 2, .side = 0});
    for (int left = 3; left > 0; --left) { CHECK(claimed(steps).step->number == 1); }
    CHECK(claimed(steps).step->number == 2);
}

TEST_CASE("a member goes through its own part from the front, and takes over the ends of others'") {
    Begun steps(2);  // side 1: LP 1 of part 0, 3 and 4 of part 1
    steps.open({.number = 1, .side = 1});
    CHECK(claimed(steps, 1).lp == 3);
    CHECK(claimed(steps, 0).lp == 1);
    CHECK(claimed(steps, 0).lp == 4);
    steps.open({.number = 1, .side = 0});  // 0 and 2 of part 0
    CHECK(claimed(steps, 1).lp == 2);
    CHECK(claimed(steps, 0).lp == 0);
}

TEST_CASE("a step is complete when all its LPs have been through, and knows the least of what they have left") {
    Begun steps;
    steps.open({.number = 1, .side = 0});
    CHECK_FALSE(steps.end(0, claimed(steps), 3, 70, {50, 90}));
    CHECK_FALSE(steps.is_complete(0, 1));
    CHECK(steps.end(0, claimed(steps), 3, 40, {60, 80}));
    CHECK(steps.is_complete(0, 1));
    const SourceTimes after = steps.after(0, 1);
    CHECK(after[3] == 40);
    CHECK(after[kAnswers] == 80);
    CHECK(after[0] == kTimeInfinity);
}

TEST_CASE(
    "an LP's part of a step is claimed when its part of the one before has ended, whoever else is still in that") {
    Begun steps;
    steps.open({.number = 1, .side = 0});
    const SideSteps::Task first = claimed(steps), second = claimed(steps);
    steps.open({.number = 2, .side = 0});
    SideSteps::Task task{};
    CHECK_FALSE(steps.claim(0, task));
    steps.end(0, first, 0, kTimeInfinity, kNothingKept);
    CHECK(claimed(steps).lp == first.lp);
    CHECK_FALSE(steps.claim(0, task));
    steps.end(0, second, 0, kTimeInfinity, kNothingKept);
    CHECK(claimed(steps).lp == second.lp);
}

TEST_CASE("who got an LP that is still in its step before waits for it") {
    Begun steps;
    steps.open({.number = 1, .side = 0});
    const SideSteps::Task first = claimed(steps), second = claimed(steps);
    steps.end(0, second, 0, kTimeInfinity, kNothingKept);
    const SideSteps::Step next{.number = 2, .side = 0};
    steps.wait_for_turn({second.lp, second.part, &next});  // returns at once
    std::atomic<bool> has_come{false};
    std::thread waiting([&] {
        steps.wait_for_turn({first.lp, first.part, &next});
        has_come = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_FALSE(has_come);
    steps.end(0, first, 0, kTimeInfinity, kNothingKept);
    waiting.join();
    CHECK(has_come);
}

TEST_CASE("a third step of a side is not opened while the first is under way") {
    Begun steps;
    steps.open({.number = 1, .side = 0});
    steps.open({.number = 2, .side = 0});
    CHECK_THROWS_AS(steps.open({.number = 3, .side = 0}), InternalError);
}

TEST_CASE("members begin with their own part and then take of the others'") {
    Begun steps(2);
    steps.open({.number = 1, .side = 1});
    const std::uint32_t own = claimed(steps, 1).lp, other = claimed(steps).lp;
    CHECK(other != own);
    CHECK(std::set<std::uint32_t>{own, other, claimed(steps).lp} == std::set<std::uint32_t>{1, 3, 4});
    SideSteps::Task task{};
    CHECK_FALSE(steps.claim(1, task));
}

TEST_CASE("a step of several parts is complete when each of them is") {
    Begun steps(2);
    steps.open({.number = 1, .side = 1});
    std::vector<SideSteps::Task> tasks;
    for (SideSteps::Task task{}; steps.claim(1, task);) { tasks.push_back(task); }
    REQUIRE(tasks.size() == 3);
    REQUIRE(tasks.front().part != tasks.back().part);
    for (const SideSteps::Task& task : tasks) {
        CHECK_FALSE(steps.is_complete(1, 1));
        CHECK(steps.end(1, task, 0, kTimeInfinity, kNothingKept) == (task.lp == tasks.back().lp));
    }
    CHECK(steps.is_complete(1, 1));
}
