// The prefetchers with which papers compare, one rule per test. Lines are numbers from the start of memory.
#include <doctest/doctest.h>

#include "tests/components/mechanisms/prefetchers/lone_prefetcher.h"
#include "tests/components/mechanisms/prefetchers/prefetch_bench.h"
#include "tests/components/sm/scheduler_bench.h"

namespace lookahead::gpu::test {
namespace {

TEST_CASE("intra prefetches a warp's next iteration once its stride has repeated") {
    PrefetchBench bench("intra");
    bench.load_each(0, {{0, 0}, {0, 2}});
    CHECK(bench.present({4}).empty());
    bench.load(0, 0, {4});
    CHECK(bench.present({6, 8}) == Lines{6});
    bench.load(0, 0, {7});
    CHECK(bench.present({8, 9, 10}).empty());
}

TEST_CASE("intra keeps the strides of warps and of loads apart") {
    PrefetchBench bench("intra");
    for (const std::uint16_t warp : {0, 1, 2, 3}) {
        bench.load(warp, 0, {std::uint64_t{2} * warp});
        bench.load(warp, 1, {std::uint64_t{2} * warp + 20});
    }
    CHECK(bench.prefetches().requested == 0);
}

TEST_CASE("intra.distance and intra.degree choose which iterations are prefetched") {
    PrefetchBench bench("intra", {"intra.distance=2", "intra.degree=2"});
    for (const std::uint64_t line : {0, 3, 6}) { bench.load(0, 0, {line}); }
    CHECK(bench.present({9, 12, 15, 18}) == Lines{12, 15});
}

TEST_CASE("a stride follows all accesses of a load, or none") {
    PrefetchBench bench("intra");
    bench.load(0, 0, {0, 50});
    bench.load(0, 0, {2, 52});
    bench.load(0, 0, {4, 54});
    CHECK(bench.present({6, 56}) == Lines{6, 56});
    bench.load(0, 1, {100, 150});
    bench.load(0, 1, {102, 153});
    bench.load(0, 1, {104, 156});
    CHECK(bench.present({106, 159}).empty());
}

TEST_CASE("inter prefetches the next warp's load once the stride over warps has repeated, across CTAs' borders") {
    PrefetchBench bench("inter");
    bench.load_each(0, {{0, 0}, {1, 3}});
    CHECK(bench.present({6}).empty());
    bench.load(2, 0, {6});
    CHECK(bench.present({9, 12}) == Lines{9});
    // Warp 4 begins another CTA with its base elsewhere, so the prefetch for it was wrong.
    bench.load(3, 0, {9});
    CHECK(bench.present({12}) == Lines{12});
    bench.load(4, 0, {60});
    CHECK(bench.present({63}).empty());
    CHECK(bench.prefetches().matched == 1);
}

TEST_CASE("inter divides the difference of two warps by their distance, and asks for none beyond the last warp") {
    PrefetchBench bench("inter");
    bench.load_each(0, {{0, 0}, {2, 6}, {6, 18}});
    CHECK(bench.present({21}) == Lines{21});
    bench.load(7, 0, {21});
    CHECK(bench.present({24}).empty());
}

TEST_CASE("inter follows strides below a line, and rounds its predictions down to lines") {
    PrefetchBench bench("inter", {"inter.degree=3"});
    bench.load(0, 0, {0});
    bench.load(2, 0, {1});  // half a line a warp
    CHECK(bench.prefetches().requested == 0);
    bench.load(4, 0, {2});
    // Warps 5, 6 and 7: half of the load's own line, which is not new, and two halves of the next.
    CHECK(bench.present({3, 4}) == Lines{3});
    CHECK(bench.prefetches().requested == 3);
    CHECK(bench.prefetches().issued == 1);
}

TEST_CASE("a load that its warp repeats says nothing of the stride over warps") {
    PrefetchBench bench("inter");
    for (const std::uint64_t line : {0, 3, 6, 9}) { bench.load(0, 0, {line}); }
    CHECK(bench.prefetches().requested == 0);
}

TEST_CASE("inter counts repetitions of the stride anew when a warp repeats the load") {
    LonePrefetcher inter("inter", "inter.confidence = 2\n");
    inter.load(0, 0, 0);
    inter.load(1, 0, 3);
    CHECK(inter.load(2, 0, 6).empty());
    CHECK(inter.load(3, 0, 9) == Lines{12});
    inter.load(3, 0, 50);
    CHECK(inter.load(4, 0, 53).empty());
    CHECK(inter.load(5, 0, 56) == Lines{59});
}

TEST_CASE("inter follows no stride that is not whole") {
    LonePrefetcher inter("inter");
    for (const std::uint16_t warp : {0, 3, 6}) {
        CHECK(inter.load(warp, 0, warp / 3).empty());  // a third of a line a warp
    }
}

TEST_CASE("strides of intra and inter end with their launch") {
    LonePrefetcher intra("intra"), inter("inter");
    for (const std::uint16_t i : {0, 1}) {
        intra.load(0, 0, std::uint64_t{2} * i);
        inter.load(i, 0, std::uint64_t{2} * i);
    }
    intra.end_launch();
    inter.end_launch();
    CHECK(intra.load(0, 0, 4).empty());
    CHECK(inter.load(2, 0, 4).empty());
}

TEST_CASE("mta throttles itself when its lines are evicted before their use") {
    const auto issued = [](const std::string& throttle) {
        PrefetchBench bench("mta", {"l1d.ways=1", "l1d.pinned_ways=0", "l1d.set_index=linear", "mta.period=100",
                                    "mta.throttle=" + throttle});
        // The next load, in the same set, evicts each prefetch.
        for (std::uint64_t i = 0; i < 120; ++i) {
            bench.load(0, 0, {64 * i});
            bench.run_to(bench.now + 60);
            bench.load(1, 1, {64 * (i + 1) + 32});
        }
        return bench.prefetches().issued;
    };
    const std::uint64_t free = issued("false");
    CHECK(free > 100);
    CHECK(issued("true") < free / 3);
}

TEST_CASE("lap fetches the rest of a block of four lines when a second of them misses") {
    for (const char* name : {"lap", "orch"}) {
        PrefetchBench bench(name, {"sm.warp_scheduler=group_interleaved"});
        bench.load(0, 0, {8});
        CHECK(bench.present({9, 10, 11}).empty());
        bench.load(1, 0, {13});
        CHECK(bench.present({9, 10, 11, 12, 14, 15}).empty());
        bench.load(1, 0, {10});
        CHECK(bench.present({7, 9, 11, 12}) == Lines{9, 11});
    }
}

TEST_CASE("lap counts misses, not hits and merges") {
    LonePrefetcher lap("lap");
    lap.access(L1EventKind::miss, 8);
    CHECK(lap.access(L1EventKind::hit, 9).empty());
    CHECK(lap.access(L1EventKind::merge, 10).empty());
    CHECK(lap.access(L1EventKind::miss, 8).empty());  // the same line
    CHECK(lap.access(L1EventKind::miss, 11) == Lines{9, 10});
}

TEST_CASE("lap counts a block's misses anew when it has fetched the block") {
    LonePrefetcher lap("lap");
    lap.access(L1EventKind::miss, 8);
    CHECK(lap.access(L1EventKind::miss, 9) == Lines{10, 11});
    CHECK(lap.access(L1EventKind::miss, 8).empty());
    CHECK(lap.access(L1EventKind::miss, 10) == Lines{9, 11});
}

TEST_CASE("lap forgets the block that missed longest ago, and all of them at the end of a launch") {
    LonePrefetcher lap("lap", "lap.blocks = 2\n");
    for (const std::uint64_t line : {0, 4, 0, 8}) {  // the block of line 4 makes room for that of line 8
        lap.access(L1EventKind::miss, line);
    }
    CHECK(lap.access(L1EventKind::miss, 1) == Lines{2, 3});
    CHECK(lap.access(L1EventKind::miss, 5).empty());
    lap.access(L1EventKind::miss, 8);
    lap.end_launch();
    CHECK(lap.access(L1EventKind::miss, 9).empty());
}

TEST_CASE("lap.misses chooses how many lines of a block must have missed") {
    LonePrefetcher lap("lap", "lap.misses = 3\n");
    lap.access(L1EventKind::miss, 0);
    CHECK(lap.access(L1EventKind::miss, 1).empty());
    CHECK(lap.access(L1EventKind::miss, 2) == Lines{3});
}

TEST_CASE("orch is refused without its scheduler, by name") {
    CHECK_THROWS_WITH_AS(PrefetchBench("orch", {"sm.warp_scheduler=lrr"}), doctest::Contains("group_interleaved"),
                         ConfigurationError);
}

TEST_CASE("stride_per_warp prefetches at a confidence of two, and loses it one by one") {
    PrefetchBench bench("stride_per_warp");
    bench.load(0, 0, {0});
    bench.load(0, 0, {2});  // stride 2, confidence 0
    bench.load(0, 0, {4});  // 1
    CHECK(bench.present({6}).empty());
    bench.load(0, 0, {6});  // 2
    CHECK(bench.present({8}) == Lines{8});
    bench.load(0, 0, {8});   // 3
    bench.load(0, 0, {50});  // 2, and the stride stays
    CHECK(bench.present({52, 92}) == Lines{52});
    bench.load(0, 0, {90});  // 1
    CHECK(bench.present({92, 130}).empty());
}

TEST_CASE("oracle fetches each warp's next loads when its CTA starts, and one more for each that it executes") {
    for (const unsigned ahead : {1u, 2u}) {
        PrefetchBench bench("oracle", {"oracle.ahead=" + std::to_string(ahead)});
        const auto line = [](std::uint64_t number) { return kBase + number * kLineBytes; };
        auto& launch = bench.loads->launches.emplace_back();
        launch.warps_per_cta = 2;
        launch.warps.resize(4);  // of two CTAs
        launch.warps[2] = {{0, 1, {line(20)}}, {3, 1, {line(30)}}, {0, 2, {line(40), line(45)}}};
        bench.unit->begin_launch({bench.kernels.front(), 0, 4, 2, 0});
        bench.unit->cta_started(3, 1);
        CHECK(bench.present({20, 30, 40, 45}) == (ahead == 1 ? Lines{20} : Lines{20, 30}));
        bench.load(6, 0, {20});
        CHECK(bench.present({20, 30, 40, 45}) == (ahead == 1 ? Lines{20, 30} : Lines{20, 30, 40, 45}));
        bench.load(6, 5, {99});  // a load that is not in the functional run
        bench.load(7, 0, {98});  // of a warp without loads
        CHECK(bench.present({20, 30, 40, 45}) == (ahead == 1 ? Lines{20, 30} : Lines{20, 30, 40, 45}));
        CHECK(bench.prefetches().useful == 1);
        CHECK(bench.prefetches().matched == 1);
    }
}

TEST_CASE("oracle fetches nothing in a launch that the functional run did not make") {
    PrefetchBench bench("oracle");
    bench.load(0, 0, {0});
    CHECK(bench.prefetches().requested == 0);
}

TEST_CASE("group_interleaved puts warps that follow each other into different groups") {
    SchedulerBench bench("group_interleaved", "group_interleaved.group_warps = 2\n", 0xf);
    for (unsigned warp = 0; warp < 4; ++warp) { bench.start(warp); }
    for (const unsigned expected : {0u, 2u, 0u}) { CHECK(bench.pick() == expected); }
    bench.set({0, 2}, ContextState::blocked_by_pipeline);
    CHECK(bench.pick() == WarpScheduler::kHoldBack);  // they wait only briefly, and hold both places
    bench.set({2}, ContextState::blocked_by_memory);
    CHECK(bench.pick() == 1);  // a place is free, and no other warp of the group wants it
    bench.set({0}, ContextState::blocked_by_memory);
    for (const unsigned expected : {3u, 1u, 3u}) { CHECK(bench.pick() == expected); }
    bench.set({0, 2}, ready_for(ExecutionUnit::sp));
    CHECK(bench.pick() == 1);
    bench.set({3}, ContextState::blocked_by_memory);
    CHECK(bench.pick() != 3);
}

TEST_CASE("group_interleaved gives free places to the next group's warps, whose turn comes when all of a group wait") {
    SchedulerBench bench("group_interleaved", "group_interleaved.group_warps = 2\n", 0x3f);
    // Groups are 0 and 3, 1 and 4, 2 and 5; the last one has waited longest.
    for (const unsigned warp : {2u, 5u, 0u, 3u, 1u, 4u}) { bench.start(warp); }
    bench.set({3}, ContextState::blocked_by_memory);
    for (const unsigned expected : {0u, 1u, 0u}) { CHECK(bench.pick() == expected); }
    bench.set({0}, ContextState::blocked_by_memory);
    for (const unsigned expected : {1u, 4u, 1u}) { CHECK(bench.pick() == expected); }
    bench.set({0, 3}, ready_for(ExecutionUnit::sp));
    bench.set({1}, ContextState::blocked_by_memory);
    for (const unsigned expected : {2u, 4u, 2u}) {  // it is the turn of 1 and 4, then of 2 and 5
        CHECK(bench.pick() == expected);
    }
}

}  // namespace
}  // namespace lookahead::gpu::test
