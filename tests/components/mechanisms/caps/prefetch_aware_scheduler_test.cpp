#include <doctest/doctest.h>

#include "tests/components/sm/scheduler_bench.h"
#include "tests/support/seed.h"

namespace lookahead::gpu {
namespace {

constexpr unsigned kHeldBack = WarpScheduler::kHoldBack;

/// A scheduler for CTAs of `size` warps, all initially ready for the SP unit.
struct PasBench : SchedulerBench {
    PasBench(const std::string& name, const std::string& configuration, unsigned ctas, unsigned size,
             ContextMask own = ~ContextMask{0})
        : SchedulerBench(name, configuration, own) {
        for (unsigned cta = 0; cta < ctas; ++cta) { start_cta(cta * size, size, own); }
    }
    void start_cta(unsigned first, unsigned size, ContextMask own = ~ContextMask{0}) {
        scheduler->cta_started(context_range(first, size));
        for (const unsigned warp : context_range(first, size) & own) { start(warp); }
    }
    /// Warps issue one after another; each then waits for memory.
    std::vector<unsigned> order_of(unsigned count) {
        std::vector<unsigned> order;
        for (unsigned i = 0; i < count; ++i) {
            order.push_back(pick());
            set({order.back()}, ContextState::blocked_by_memory);
        }
        return order;
    }
};

TEST_CASE("pas without marks and wake-ups issues as two_level does, cycle for cycle") {
    for (const std::string order : {"oldest", "rr"}) {
        CAPTURE(order);
        std::mt19937_64 random(lookahead::test::random_seed());
        const std::string in_order = "order = \"" + order + "\"\n";
        PasBench pas("pas", "[pas]\nleading_warps = false\nleading_cta = \"off\"\nwakeup = false\n" + in_order, 4, 6);
        PasBench two_level("two_level", "[two_level]\n" + in_order, 4, 6);
        for (unsigned cycle = 0; cycle < 5000; ++cycle) {
            const auto warp = static_cast<unsigned>(random() % 24);
            constexpr ContextState kStates[] = {ready_for(ExecutionUnit::sp), ready_for(ExecutionUnit::sp),
                                                ContextState::blocked_by_memory, ContextState::blocked_by_pipeline,
                                                ContextState::at_barrier};
            const ContextState state = kStates[random() % std::size(kStates)];
            for (PasBench* bench : {&pas, &two_level}) {
                bench->states.set(warp, state);
                bench->scheduler->hint(WarpHint::promote, warp);
            }
            if (pas.states.in(ready_for(ExecutionUnit::sp)) != 0) { REQUIRE(pas.pick() == two_level.pick()); }
        }
    }
}

TEST_CASE("leading warps of all CTAs get places and issue first, then the oldest of the queue") {
    PasBench bench("pas", "pas.ready_warps = 6\n", 3, 4);
    CHECK(bench.order_of(7) == std::vector<unsigned>{0, 4, 8, 1, 2, 3, 5});
}

TEST_CASE("with a place for all, the leading CTA goes before the rest only with pas.leading_cta = issue") {
    for (const std::string leads : {"issue", "enqueue", "off"}) {
        CAPTURE(leads);
        PasBench bench("pas", "[pas]\nready_warps = 12\norder = \"rr\"\nleading_cta = \"" + leads + "\"\n", 0, 4);
        for (const unsigned first : {4u, 0u, 8u}) { bench.start_cta(first, 4); }
        CHECK(bench.order_of(7) == (leads == "issue" ? std::vector<unsigned>{0, 4, 8, 5, 6, 7, 9}
                                                     : std::vector<unsigned>{0, 4, 8, 9, 10, 11, 1}));
    }
}

TEST_CASE("the leading CTA's warps take places before the rest unless pas.leading_cta = off") {
    for (const std::string leads : {"issue", "enqueue", "off"}) {
        CAPTURE(leads);
        PasBench bench("pas", "[pas]\nready_warps = 2\nleading_warps = false\nleading_cta = \"" + leads + "\"\n", 2, 3);
        CHECK(bench.pick() == 0);
        bench.set({0, 1}, ContextState::blocked_by_memory);
        CHECK(bench.pick() == 2);  // places: 2, 3
        bench.set({0}, ready_for(ExecutionUnit::sp));
        bench.set({2, 3}, ContextState::blocked_by_memory);
        CHECK(bench.pick() == (leads == "off" ? 4 : 0));  // pending: 4, 5, 0
    }
}

TEST_CASE("each of two schedulers marks the first of its own warps of a CTA") {
    const ContextMask even = {0x5555'5555'5555'5555, 0x5555'5555'5555'5555};
    const std::string configuration = "[pas]\nleading_cta = \"off\"\n";
    CHECK(PasBench("pas", configuration, 2, 3, even).order_of(3) == std::vector<unsigned>{0, 4, 2});
    CHECK(PasBench("pas", configuration, 2, 3, ~even).order_of(3) == std::vector<unsigned>{1, 3, 5});
}

TEST_CASE("a scheduler without a warp of a CTA has no mark in it") {
    const ContextMask even = {0x5555'5555'5555'5555, 0x5555'5555'5555'5555};
    CHECK(PasBench("pas", "", 4, 1, even).order_of(2) == std::vector<unsigned>{0, 2});
}

TEST_CASE("when the leading CTA has retired the one that has been resident for longest leads") {
    PasBench bench("pas", "[pas]\nleading_warps = false\nleading_cta = \"issue\"\norder = \"rr\"\n", 2, 4);
    for (const unsigned warp : {0u, 1u, 2u, 3u}) {
        bench.set({warp}, ContextState::exited);
        bench.scheduler->exited(warp);
    }
    bench.scheduler->cta_ended(0xf);
    bench.scheduler->cta_started(0xf);
    for (const unsigned warp : {0u, 1u, 2u, 3u}) { bench.start(warp); }
    CHECK(bench.order_of(5) == std::vector<unsigned>{4, 5, 6, 7, 0});
}

TEST_CASE("a warp that is woken up takes the place of the youngest warp without a mark") {
    for (const bool wakeup : {true, false}) {
        PasBench bench(
            "pas",
            std::string("[pas]\nready_warps = 3\nleading_cta = \"off\"\nwakeup = ") + (wakeup ? "true\n" : "false\n"),
            1, 6);
        CHECK(bench.pick() == 0);  // places: 0, marked, 1, 2
        bench.scheduler->hint(WarpHint::promote, 5);
        bench.set({0, 1}, ContextState::blocked_by_pipeline);
        CHECK(bench.pick() == (wakeup ? 5 : 2));
        CHECK(bench.pick() == (wakeup ? 5 : 2));
    }
}

TEST_CASE("a wake-up of a warp that has a place, waits for memory, or has exited changes nothing") {
    PasBench bench("pas", "[pas]\nready_warps = 2\nleading_cta = \"off\"\nleading_warps = false\norder = \"rr\"\n", 1,
                   4);
    CHECK(bench.pick() == 0);
    bench.set({2}, ContextState::blocked_by_memory);
    bench.scheduler->exited(3);
    bench.set({3}, ContextState::exited);
    for (const unsigned warp : {0u, 1u, 2u, 3u}) { bench.scheduler->hint(WarpHint::promote, warp); }
    CHECK(bench.pick() == 1);
    CHECK(bench.pick() == 0);
    bench.set({0, 1}, ContextState::blocked_by_pipeline);
    bench.set({2}, ready_for(ExecutionUnit::sp));
    CHECK(bench.pick() == kHeldBack);
}

TEST_CASE("a wake-up of a warp that waits for memory takes nobody's place") {
    PasBench bench("pas", "[pas]\nready_warps = 2\nleading_cta = \"off\"\nleading_warps = false\n", 1, 5);
    CHECK(bench.pick() == 0);  // places: 0, 1
    bench.set({2}, ContextState::blocked_by_memory);
    bench.scheduler->hint(WarpHint::promote, 2);
    bench.set({0}, ContextState::blocked_by_pipeline);
    CHECK(bench.pick() == 1);
}

TEST_CASE("over lrr a woken warp goes before unmarked ones once") {
    PasBench bench("pas", "[pas]\nbase = \"lrr\"\nleading_cta = \"off\"\n", 1, 5);
    bench.set({0}, ContextState::blocked_by_memory);
    CHECK(bench.pick() == 1);
    bench.scheduler->hint(WarpHint::promote, 4);
    CHECK(bench.pick() == 4);
    CHECK(bench.pick() == 1);
    bench.set({0}, ready_for(ExecutionUnit::sp));
    CHECK(bench.pick() == 0);
    CHECK(bench.pick() == 0);
}

TEST_CASE("over gto leading warps go first only until their base is known") {
    PasBench bench("pas", "pas.base = \"gto\"\n", 2, 3);
    CHECK(bench.pick() == 0);
    bench.scheduler->hint(WarpHint::demote, 0);
    CHECK(bench.pick() == 3);
    bench.scheduler->hint(WarpHint::demote, 3);
    CHECK(bench.pick() == 3);  // greedy
    bench.set({3}, ContextState::blocked_by_memory);
    CHECK(bench.pick() == 0);
    bench.scheduler->hint(WarpHint::promote, 5);
    CHECK(bench.pick() == 5);
    CHECK(bench.pick() == 5);
}

}  // namespace
}  // namespace lookahead::gpu
