// The affine warp runs for waiting CTAs when dac.batch allows it.
#include "components/mechanisms/dac/cta_batches.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace lookahead::dac {
namespace {

constexpr unsigned kSlots = 4;

/// Four places for CTAs of one warp; those in 0 and 1 came at cycle 10 and were served from 18 to 100.
struct Served {
    DacCounters counters;
    CtaBatches batches;

    explicit Served(const std::string& batch) : batches({.batch = batch, .gather_cycles = 8}, counters) {
        batches.begin_launch(kSlots, 0);
        batches.warp_started(0, 10);
        batches.warp_started(1, 10);
        REQUIRE(batches.due() == 18);
        REQUIRE(batches.begin_run(18) == 0b11);
        batches.end_run(100);
    }
};

TEST_CASE("a run begins when no CTA has come for dac.gather_cycles, or at once where the SM is full") {
    DacCounters counters;
    CtaBatches batches({.gather_cycles = 8}, counters);
    batches.begin_launch(kSlots, 0);
    CHECK(batches.due() == gpu::kNever);
    batches.warp_started(0, 10);
    CHECK(batches.due() == 18);
    batches.warp_started(1, 15);
    CHECK(batches.due() == 23);
    batches.warp_started(2, 15);
    batches.warp_started(3, 16);
    CHECK(batches.due() == 16);
}

TEST_CASE(
    "dac.batch: CTAs that come later wait for those before them to end, for no run, or for as long as the last run "
    "took") {
    Served drain("drain"), rolling("rolling"), patient("patient");
    for (Served* each : {&drain, &rolling, &patient}) { each->batches.warp_started(2, 110); }
    CHECK(drain.batches.due() == gpu::kNever);
    CHECK(rolling.batches.due() == 118);
    CHECK(patient.batches.due() == 110 + 82);
    for (Served* each : {&drain, &rolling, &patient}) {
        each->batches.warp_exited(0, 120);
        each->batches.warp_exited(1, 120);
        CHECK(each->batches.due() == 118);
    }
}

TEST_CASE("slots take their turns in the order of the runs that served them") {
    Served served("rolling");
    served.batches.warp_exited(0, 120);
    served.batches.warp_started(0, 130);
    CHECK(served.batches.begin_run(138) == 0b01);
    const auto turns = served.batches.turns();
    CHECK(std::vector<unsigned>(turns.begin(), turns.end()) == std::vector<unsigned>{2, 3, 1, 0});
    CHECK(served.batches.serves(0));
    CHECK(served.batches.serves(1));
    CHECK(!served.batches.serves(2));
}

TEST_CASE("cycles in which CTAs wait for a run are counted for each, also where one ends unserved") {
    Served served("drain");
    CHECK(served.counters.unserved_cycles == 2 * 8);
    served.batches.warp_started(2, 110);
    served.batches.warp_exited(2, 115);
    CHECK(served.counters.unserved_cycles == 2 * 8 + 5);
    CHECK(!served.batches.some_wait());
}

}  // namespace
}  // namespace lookahead::dac
