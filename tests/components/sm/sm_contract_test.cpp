#include <doctest/doctest.h>

#include <numeric>

#include "components/isa/instruction.h"
#include "tests/components/sm/kernels.h"
#include "tests/components/sm/print_cycles.h"
#include "tests/components/sm/sm_harness.h"
#include "tests/support/variants.h"

namespace lookahead::test {
namespace {

const TestLaunch kMixedLaunch{.grid = {21, 1, 1}, .block = {180, 1, 1}, .parameters = global_parameters()};

/// An SM about to launch the mixed kernel.
struct MixedSm : SmHarness {
    explicit MixedSm(unsigned passes, const std::string& toml = "", const TestLaunch& first = kMixedLaunch)
        : SmHarness({mixed_kernel(passes)}, toml) {
        fill_input(4000, [](unsigned i) { return i * 2654435761u; });
        launch(first);
    }
};

std::string configuration_of(const std::string& scheduler) {
    return "[sm]\nwarp_scheduler = \"" + scheduler + "\"\n";
}

void check_stall_sums(SmHarness& harness) {
    for (const gpu::SchedulerCounters& counters : harness.sm().scheduler_counters()) {
        const std::uint64_t sum = std::accumulate(counters.cycles.begin(), counters.cycles.end(), std::uint64_t{0});
        REQUIRE(sum == harness.counters().cycles);
    }
}

TEST_CASE("every scheduler's causes sum to the cycles, at any time, and its issues to the instructions") {
    gpu::SchedulerCounters all;
    for (const std::string& scheduler : lookahead::test::at_least(2, variant_names<gpu::WarpScheduler>())) {
        CAPTURE(scheduler);
        MixedSm harness(3, configuration_of(scheduler));
        while (!harness.done() && harness.now() < 100'000) {
            harness.run_until(harness.now() + 13);
            check_stall_sums(harness);
        }
        REQUIRE(harness.done());
        CHECK(harness.charged(gpu::SchedulerCycle::issued) == harness.counters().warp_instructions);
        CHECK(std::accumulate(harness.counters().by_class.begin(), harness.counters().by_class.end(),
                              std::uint64_t{0}) == harness.counters().warp_instructions);
        // From the beginning at cycle 10 to the cycle in which SmDrained leaves.
        CHECK(static_cast<Cycle>(harness.counters().cycles) ==
              harness.received().back().cycle - SmHarness::kLatency - 10 + 1);
        for (const gpu::SchedulerCounters& counters : harness.sm().scheduler_counters()) { accumulate(all, counters); }
        // Only policies with a small ready queue let a ready warp wait while nothing else issues.
        const bool holds_back = scheduler == "two_level" || scheduler == "pas" || scheduler == "group_interleaved";
        CHECK((harness.sm().scheduler_counters()[0][gpu::SchedulerCycle::held_back] > 0) == holds_back);
    }
    // The kernel causes every kind of stall.
    for (const gpu::SchedulerCycle cause :
         {gpu::SchedulerCycle::memory_unit_full, gpu::SchedulerCycle::unit_full, gpu::SchedulerCycle::memory_wait,
          gpu::SchedulerCycle::short_latency, gpu::SchedulerCycle::buffer_empty, gpu::SchedulerCycle::barrier,
          gpu::SchedulerCycle::no_cta}) {
        CAPTURE(static_cast<int>(cause));
        CHECK(all[cause] > 0);
    }
}

TEST_CASE("next_event_time names a cycle before which nothing happens") {
    MixedSm harness(2, "", {.grid = {1, 1, 1}, .block = {64, 1, 1}, .parameters = global_parameters()});
    harness.run_until(20);
    unsigned jumps = 0;
    while (!harness.done() && harness.sm().next_event_time() != kTimeInfinity) {
        const Cycle next = harness.clock().cycle_at_or_after(harness.sm().next_event_time());
        REQUIRE(next >= harness.now());
        const gpu::SmCounters before = harness.counters();
        jumps += next > harness.now() + 1;
        harness.run_until(next);
        CHECK(harness.counters().warp_instructions == before.warp_instructions);
        CHECK(harness.counters().fetches == before.fetches);
        CHECK(harness.counters().barriers == before.barriers);
        harness.run_until(next + 1);
    }
    CHECK(jumps > 20);
}

TEST_CASE("a message between two edges is handled at the second, however the windows are cut") {
    for (const Cycle cut : {10, 11, 12}) {
        CAPTURE(cut);
        PlainSmHarness harness({dependent_chain(Operation::add, Type::u32, 1)});
        gpu::KernelBegin begin{};
        begin.grid = begin.block = {1, 1, 1};
        harness.send(10, begin, {}, 5);
        harness.send(10, gpu::CtaAssign{0}, {}, 5);
        // The horizon is after the message and before the next edge.
        harness.run_until_time(harness.clock().edge(cut) + 6);
        CHECK(harness.issue_cycles(1) == std::vector<Cycle>{13});
    }
}

TEST_CASE("other messages go to the load/store unit") {
    SmHarness harness({dependent_chain(Operation::add, Type::u32, 1)});
    harness.send(5, gpu::AllocationUpdate{isa::kGlobalBase, 256, 0});
    harness.run_until(10);
    CHECK(harness.memory().received() == 1);
}

}  // namespace
}  // namespace lookahead::test
