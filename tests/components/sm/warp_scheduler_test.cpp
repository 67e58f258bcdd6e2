#include <doctest/doctest.h>

#include "core/error/error.h"
#include "core/state/archives.h"
#include "tests/components/sm/scheduler_bench.h"
#include "tests/support/seed.h"
#include "tests/support/variants.h"

namespace lookahead::gpu {
namespace {

TEST_CASE("lrr goes round from the warp that issued last") {
    SchedulerBench lrr("lrr");
    CHECK(lrr.pick(0b1011) == 0);
    CHECK(lrr.pick(0b1011) == 1);
    CHECK(lrr.pick(0b1011) == 3);
    CHECK(lrr.pick(0b1011) == 0);
    CHECK(lrr.pick(0b0001) == 0);
    for (const unsigned warp : {63u, 64u, 127u}) { CHECK(lrr.pick(context_bit(warp)) == warp); }
    CHECK(lrr.pick(0b0110) == 1);
    CHECK(lrr.pick(ContextMask(0b0010, 0b1000)) == 67);
    CHECK(lrr.pick(ContextMask(0b0010, 0b1000)) == 1);
}

TEST_CASE("gto stays with one warp while it is ready, then takes the one that started first") {
    SchedulerBench gto("gto");
    for (const unsigned warp : {4u, 2u, 0u, 6u}) { gto.scheduler->started(warp); }
    CHECK(gto.pick(0b1010101) == 4);
    CHECK(gto.pick(0b1010101) == 4);
    CHECK(gto.pick(0b1000101) == 2);
    CHECK(gto.pick(0b1010101) == 2);
    CHECK(gto.pick(0b1000001) == 0);
    CHECK(gto.pick(0b1010000) == 4);
}

TEST_CASE("gto forgets a warp that exits, and its successor in the slot is young") {
    SchedulerBench gto("gto");
    for (const unsigned warp : {0u, 2u}) { gto.scheduler->started(warp); }
    CHECK(gto.pick(0b101) == 0);
    gto.scheduler->exited(0);
    gto.scheduler->started(0);
    CHECK(gto.pick(0b101) == 2);
}

TEST_CASE("every variant picks a candidate or holds back, and goes on alike after a checkpoint") {
    for (const std::string& name : lookahead::test::at_least(2, variant_names<WarpScheduler>())) {
        CAPTURE(name);
        std::mt19937_64 random(lookahead::test::random_seed());
        SchedulerBench original(name), restored(name);
        for (unsigned warp = 0; warp < kMaximumContexts; ++warp) { original.scheduler->started(warp); }
        for (unsigned i = 0; i < 1000; ++i) {
            const ContextMask candidates(random() & random(), random() & random());
            if (candidates == 0) { continue; }
            const unsigned picked = original.pick(candidates);
            REQUIRE((picked == WarpScheduler::kHoldBack || (candidates & context_bit(picked)) != 0));
        }
        const std::string bytes = saved_state(*original.scheduler);
        load_state(*restored.scheduler, bytes);
        restored.view.cycle = original.view.cycle;
        CHECK(hash_of_state(*original.scheduler) == hash_of_state(*restored.scheduler));
        for (unsigned i = 0; i < 1000; ++i) {
            const ContextMask candidates(random() | 1, random());
            REQUIRE(original.pick(candidates) == restored.pick(candidates));
        }
    }
}

TEST_CASE("an unknown scheduler is refused with its slot") {
    CHECK_THROWS_WITH_AS(SchedulerBench("gtoo"), doctest::Contains("sm.warp_scheduler"), ConfigurationError);
}

}  // namespace
}  // namespace lookahead::gpu
