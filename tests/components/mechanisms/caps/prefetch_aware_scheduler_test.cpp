#include <doctest/doctest.h>

#include <memory>
#include <random>

#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "tests/components/sm/fake_warp_view.h"

namespace lookahead::gpu {
namespace {

constexpr unsigned kHeldBack = WarpScheduler::kHoldBack;

/// A scheduler of CTAs of `size` warps, all ready for the SP unit until a test sets them otherwise.
struct PasBench {
    PasBench(const std::string& name, const std::string& configuration, unsigned ctas, unsigned size)
        : scheduler(make_variant<WarpScheduler>(name, Configuration::from_toml(configuration, "test"),
                                                WarpSchedulerArguments{~ContextMask{0}, states, view})) {
        for (unsigned cta = 0; cta < ctas; ++cta) {
            scheduler->cta_started(context_range(cta * size, size));
            for (unsigned warp = cta * size; warp < (cta + 1) * size; ++warp) {
                states.set(warp, ContextState::ready_sp);
                scheduler->started(warp);
            }
        }
    }
    unsigned pick() { return scheduler->pick(states.in(ContextState::ready_sp), now++); }
    void set(std::initializer_list<unsigned> warps, ContextState state) {
        for (const unsigned warp : warps) {
            states.set(warp, state);
        }
    }

    ContextStates states;
    FakeWarpView view;
    std::unique_ptr<WarpScheduler> scheduler;
    Cycle now = 0;
};

TEST_CASE("pas without marks and wake-ups issues as two_level does, cycle for cycle") {
    for (const unsigned seed : {1u, 2u, 3u}) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        PasBench pas("pas", "[pas]\nleading_warps = false\nleading_cta = false\nwakeup = false\n", 4, 6);
        PasBench two_level("two_level", "", 4, 6);
        for (unsigned cycle = 0; cycle < 5000; ++cycle) {
            const auto warp = static_cast<unsigned>(random() % 24);
            constexpr ContextState kStates[] = {ContextState::ready_sp, ContextState::ready_sp,
                                                ContextState::blocked_by_memory, ContextState::blocked_by_pipeline,
                                                ContextState::at_barrier};
            const ContextState state = kStates[random() % std::size(kStates)];
            for (PasBench* bench : {&pas, &two_level}) {
                bench->states.set(warp, state);
                bench->scheduler->hint(WarpHint::promote, warp);
            }
            if (pas.states.in(ContextState::ready_sp) != 0) {
                REQUIRE(pas.pick() == two_level.pick());
            }
        }
    }
}

TEST_CASE("leading warps of all CTAs get places and issue first, then the leading CTA's warps, then the rest") {
    PasBench bench("pas", "pas.ready_warps = 6\n", 3, 4);
    std::vector<unsigned> order;
    for (unsigned i = 0; i < 7; ++i) {
        order.push_back(bench.pick());
        bench.set({order.back()}, ContextState::blocked_by_memory);
    }
    CHECK(order == std::vector<unsigned>{0, 4, 8, 1, 2, 3, 5});
}

TEST_CASE("leading warps of all CTAs get places, and the leading CTA goes on after them wherever its warps stand") {
    PasBench bench("pas", "pas.ready_warps = 12\n", 0, 4);
    for (const unsigned first : {4u, 0u, 8u}) {
        bench.scheduler->cta_started(context_range(first, 4));
        for (unsigned warp = first; warp < first + 4; ++warp) {
            bench.states.set(warp, ContextState::ready_sp);
            bench.scheduler->started(warp);
        }
    }
    std::vector<unsigned> order;
    for (unsigned i = 0; i < 7; ++i) {
        order.push_back(bench.pick());
        bench.set({order.back()}, ContextState::blocked_by_memory);
    }
    CHECK(order == std::vector<unsigned>{0, 4, 8, 5, 6, 7, 9});
}

TEST_CASE("when the leading CTA has retired the one that has been resident for longest leads") {
    PasBench bench("pas", "pas.leading_warps = false\n", 2, 4);
    for (const unsigned warp : {0u, 1u, 2u, 3u}) {
        bench.set({warp}, ContextState::exited);
        bench.scheduler->exited(warp);
    }
    bench.scheduler->cta_ended(0xf);
    bench.scheduler->cta_started(0xf);
    for (const unsigned warp : {0u, 1u, 2u, 3u}) {
        bench.set({warp}, ContextState::ready_sp);
        bench.scheduler->started(warp);
    }
    std::vector<unsigned> order;
    for (unsigned i = 0; i < 5; ++i) {
        order.push_back(bench.pick());
        bench.set({order.back()}, ContextState::blocked_by_memory);
    }
    CHECK(order == std::vector<unsigned>{4, 5, 6, 7, 0});
}

TEST_CASE("a warp that is woken up takes the place of the youngest warp without a mark") {
    for (const bool wakeup : {true, false}) {
        PasBench bench(
            "pas",
            std::string("[pas]\nready_warps = 3\nleading_cta = false\nwakeup = ") + (wakeup ? "true\n" : "false\n"), 1,
            6);
        CHECK(bench.pick() == 0);  // places: 0, marked, 1, 2
        bench.scheduler->hint(WarpHint::promote, 5);
        bench.set({0, 1}, ContextState::blocked_by_pipeline);
        CHECK(bench.pick() == (wakeup ? 5 : 2));
        CHECK(bench.pick() == (wakeup ? 5 : 2));
    }
}

TEST_CASE("a wake-up of a warp that has a place, waits for memory, or has exited changes nothing") {
    PasBench bench("pas", "[pas]\nready_warps = 2\nleading_cta = false\nleading_warps = false\n", 1, 4);
    CHECK(bench.pick() == 0);
    bench.set({2}, ContextState::blocked_by_memory);
    bench.scheduler->exited(3);
    bench.set({3}, ContextState::exited);
    for (const unsigned warp : {0u, 1u, 2u, 3u}) {
        bench.scheduler->hint(WarpHint::promote, warp);
    }
    CHECK(bench.pick() == 1);
    CHECK(bench.pick() == 0);
    bench.set({0, 1}, ContextState::blocked_by_pipeline);
    bench.set({2}, ContextState::ready_sp);
    CHECK(bench.pick() == kHeldBack);
}

TEST_CASE("a wake-up of a warp that waits for memory takes nobody's place") {
    PasBench bench("pas", "[pas]\nready_warps = 2\nleading_cta = false\nleading_warps = false\n", 1, 5);
    CHECK(bench.pick() == 0);  // places: 0, 1
    bench.set({2}, ContextState::blocked_by_memory);
    bench.scheduler->hint(WarpHint::promote, 2);
    bench.set({0}, ContextState::blocked_by_pipeline);
    CHECK(bench.pick() == 1);
}

TEST_CASE("over lrr a woken warp goes before unmarked ones once") {
    PasBench bench("pas", "[pas]\nbase = \"lrr\"\nleading_cta = false\n", 1, 5);
    bench.set({0}, ContextState::blocked_by_memory);
    CHECK(bench.pick() == 1);
    bench.scheduler->hint(WarpHint::promote, 4);
    CHECK(bench.pick() == 4);
    CHECK(bench.pick() == 1);
    bench.set({0}, ContextState::ready_sp);
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
