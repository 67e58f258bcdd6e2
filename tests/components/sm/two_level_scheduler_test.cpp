#include <doctest/doctest.h>

#include "tests/components/sm/kernels.h"
#include "tests/components/sm/print_cycles.h"
#include "tests/components/sm/scheduler_bench.h"
#include "tests/components/sm/sm_harness.h"
#include "tests/support/seed.h"

namespace lookahead::gpu::two_level_scheduler_tests {
namespace {

constexpr unsigned kHeldBack = WarpScheduler::kHoldBack;

/// Issues in turn, which distinguishes places better than oldest first.
std::string places(unsigned count, const std::string& order = "rr") {
    return "[two_level]\nready_warps = " + std::to_string(count) + "\norder = \"" + order + "\"\n";
}

struct Bench : SchedulerBench {
    explicit Bench(const std::string& configuration, unsigned warps = 16, const std::string& name = "two_level")
        : SchedulerBench(name, configuration) {
        for (unsigned warp = 0; warp < warps; ++warp) { start(warp); }
    }
};

TEST_CASE("two_level has eight places: the eighth warp to start may issue, the ninth may not") {
    Bench bench("");
    for (unsigned warp = 0; warp < 7; ++warp) { bench.set({warp}, ContextState::blocked_by_pipeline); }
    CHECK(bench.pick() == 7);
    bench.set({7}, ContextState::blocked_by_pipeline);
    CHECK(bench.pick() == kHeldBack);
}

TEST_CASE("of the ready queue the warp that started first issues, wherever it stands") {
    Bench bench(places(2, "oldest"), 0);
    for (const unsigned warp : {5u, 3u, 1u}) { bench.start(warp); }
    CHECK(bench.pick() == 5);
    CHECK(bench.pick() == 5);
    bench.set({5}, ContextState::blocked_by_memory);
    CHECK(bench.pick() == 3);
    // Warp 5 follows warp 1 in the queue, and is the oldest when it has a place again.
    bench.set({5}, ready_for(ExecutionUnit::sp));
    CHECK(bench.pick() == 3);
    bench.set({1}, ContextState::blocked_by_memory);
    CHECK(bench.pick() == 5);
    bench.scheduler->exited(5);
    bench.scheduler->started(5);
    CHECK(bench.pick() == 3);
    Bench by_default("");
    CHECK(by_default.pick() == 0);
    CHECK(by_default.pick() == 0);
}

TEST_CASE("two_level's warps of the ready queue issue in turn") {
    Bench bench(places(3));
    for (const unsigned expected : {0u, 1u, 2u, 0u, 1u}) { CHECK(bench.pick() == expected); }
    bench.set({2}, ContextState::blocked_by_pipeline);
    CHECK(bench.pick() == 0);
}

TEST_CASE("two_level's places go to the warps in the order of their start") {
    Bench bench(places(2), 0);
    for (const unsigned warp : {5u, 3u, 1u}) { bench.start(warp); }
    CHECK(bench.pick() == 3);
    CHECK(bench.pick() == 5);
    CHECK(bench.pick() == 3);
}

TEST_CASE("a warp that waits for memory, a fence or a barrier gives up its place to the first pending one at once") {
    for (const ContextState state :
         {ContextState::blocked_by_memory, ContextState::at_fence, ContextState::at_barrier}) {
        CAPTURE(static_cast<int>(state));
        Bench bench(places(2));
        CHECK(bench.pick() == 0);
        CHECK(bench.pick() == 1);
        bench.set({0}, state);
        CHECK(bench.pick() == 2);
        CHECK(bench.pick() == 1);
        // The warp's value has come, but its place is taken.
        bench.set({0}, ready_for(ExecutionUnit::sp));
        bench.set({1, 2}, ContextState::blocked_by_pipeline);
        CHECK(bench.pick() == kHeldBack);
    }
}

TEST_CASE("a warp that waits for an arithmetic result, a fetch, a branch or a busy unit keeps its place") {
    for (const ContextState state :
         {ContextState::blocked_by_pipeline, ContextState::fetching, ContextState::branching,
          ready_for(ExecutionUnit::sfu), ready_for(ExecutionUnit::dp), ready_for(ExecutionUnit::memory)}) {
        CAPTURE(static_cast<int>(state));
        Bench bench(places(2));
        CHECK(bench.pick() == 0);
        bench.set({0, 1}, state);
        CHECK(bench.pick() == kHeldBack);
        bench.set({0}, ready_for(ExecutionUnit::sp));
        CHECK(bench.pick() == 0);
    }
}

TEST_CASE("a pending warp that waits is passed over, and comes in its old turn when it waits no more") {
    Bench bench(places(1), 4);
    bench.set({1}, ContextState::blocked_by_memory);
    CHECK(bench.pick() == 0);
    bench.set({0}, ContextState::blocked_by_memory);
    CHECK(bench.pick() == 2);
    // Warp 1 has been pending longer than warps 3 and 0.
    bench.set({0, 1}, ready_for(ExecutionUnit::sp));
    bench.set({2}, ContextState::blocked_by_memory);
    CHECK(bench.pick() == 1);
}

TEST_CASE("a warp that gives up its place queues up behind the pending ones") {
    Bench bench(places(1), 3);
    CHECK(bench.pick() == 0);
    bench.set({0}, ContextState::blocked_by_memory);
    CHECK(bench.pick() == 1);
    bench.set({0}, ready_for(ExecutionUnit::sp));
    bench.set({1}, ContextState::blocked_by_memory);
    CHECK(bench.pick() == 2);
    bench.set({1}, ready_for(ExecutionUnit::sp));
    bench.set({2}, ContextState::blocked_by_memory);
    CHECK(bench.pick() == 0);
}

TEST_CASE("a place stays empty while all pending warps wait") {
    Bench bench(places(2), 3);
    CHECK(bench.pick() == 0);
    bench.set({1, 2}, ContextState::blocked_by_memory);
    CHECK(bench.pick() == 0);
    CHECK(bench.pick() == 0);
    bench.set({2}, ready_for(ExecutionUnit::sp));
    CHECK(bench.pick() == 2);
}

TEST_CASE("a warp that exits leaves its place, and its successor in the slot starts at the end") {
    Bench bench(places(1), 3);
    CHECK(bench.pick() == 0);
    bench.scheduler->exited(0);
    bench.scheduler->started(0);
    CHECK(bench.pick() == 1);
    bench.scheduler->exited(1);
    bench.states.set(1, ContextState::exited);
    CHECK(bench.pick() == 2);
    bench.scheduler->exited(2);
    bench.states.set(2, ContextState::exited);
    CHECK(bench.pick() == 0);
}

TEST_CASE("a warp that exits while it is pending gets no place") {
    Bench bench(places(1), 3);
    CHECK(bench.pick() == 0);
    bench.scheduler->exited(1);
    bench.set({1}, ContextState::exited);
    bench.set({0}, ContextState::blocked_by_memory);
    CHECK(bench.pick() == 2);
}

TEST_CASE("with a place for every warp two_level is lrr") {
    std::mt19937_64 random(lookahead::test::random_seed());
    Bench two_level(places(64), 64), lrr("", 64, "lrr");
    for (unsigned i = 0; i < 2000; ++i) {
        const auto warp = static_cast<unsigned>(random() % 64);
        const auto state = random() % 3 ? ready_for(ExecutionUnit::sp) : ContextState::blocked_by_memory;
        two_level.states.set(warp, state);
        lrr.states.set(warp, state);
        if (lrr.states.in(ready_for(ExecutionUnit::sp)) != 0) { REQUIRE(two_level.pick() == lrr.pick()); }
    }
}

TEST_CASE("the number of places is checked") {
    CHECK_THROWS_WITH_AS(Bench(places(0)), doctest::Contains("two_level.ready_warps"), ConfigurationError);
    CHECK_THROWS_WITH_AS(Bench(places(129)), doctest::Contains("two_level.ready_warps"), ConfigurationError);
}

}  // namespace
}  // namespace lookahead::gpu::two_level_scheduler_tests

namespace lookahead::test {
namespace {

/// The cycle in which a kernel with barriers, loads and branches ends.
Cycle end_of_mixed_kernel(const std::string& configuration) {
    SmHarness harness({mixed_kernel(3)}, configuration);
    harness.fill_input(4000, [](unsigned i) { return i * 2654435761u; });
    harness.run_to_end({.grid = {21, 1, 1}, .block = {180, 1, 1}, .parameters = global_parameters()});
    return harness.received().back().cycle;
}

TEST_CASE("on an SM, places for all warps give the cycles of lrr, and one place ends without a deadlock but later") {
    const std::string two_level = "sm.warp_scheduler = \"two_level\"\n";
    const Cycle lrr = end_of_mixed_kernel("sm.warp_scheduler = \"lrr\"\n");
    CHECK(end_of_mixed_kernel(two_level + gpu::two_level_scheduler_tests::places(64)) == lrr);
    CHECK(end_of_mixed_kernel(two_level + gpu::two_level_scheduler_tests::places(1)) > lrr);
}

}  // namespace
}  // namespace lookahead::test
