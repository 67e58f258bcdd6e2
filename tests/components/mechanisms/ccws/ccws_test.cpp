#include <doctest/doctest.h>

#include "components/cache/l1_events.h"
#include "components/cache/tag_array.h"
#include "core/state/archives.h"
#include "tests/components/sm/scheduler_bench.h"
#include "tests/support/seed.h"
#include "tests/support/statistics.h"

namespace lookahead::gpu {
namespace {

constexpr unsigned kHeldBack = WarpScheduler::kHoldBack;

/// Warps that start in a given order. With base score 100 and n warps the cutoff is 100 n.
struct CcwsBench : SchedulerBench {
    explicit CcwsBench(const std::vector<unsigned>& order, const std::string& configuration = "",
                       ContextMask own = ~ContextMask{0}, const std::string& name = "ccws")
        : SchedulerBench(name, configuration, own) {
        scheduler->launch_started();
        for (const unsigned warp : order) { scheduler->started(warp); }
    }

    /// Picks a warp, all of whose next instructions are loads.
    unsigned pick_load(ContextMask candidates) {
        view.loading = candidates;
        const unsigned picked = pick(candidates);
        view.loading = 0;
        return picked;
    }
    /// Takes no cycle, so that no time passes between two questions.
    bool may_load(unsigned warp) {
        view.loading = context_bit(warp);
        const bool may = scheduler->pick(context_bit(warp), view.cycle) == warp;
        view.loading = 0;
        return may;
    }
    std::vector<unsigned> allowed(ContextMask warps) {
        std::vector<unsigned> result;
        for (const unsigned warp : warps) {
            if (may_load(warp)) { result.push_back(warp); }
        }
        return result;
    }
    void issue(unsigned count) {
        for (unsigned i = 0; i < count; ++i) { CHECK(pick(~ContextMask{0}) != kHeldBack); }
    }
    void event(L1EventKind kind, unsigned warp, std::uint64_t line, Client client = Client::demand,
               L1Operation operation = L1Operation::load, std::uint32_t way = 0) {
        scheduler->l1_listener()->on_l1_event({.kind = kind,
                                               .client = client,
                                               .warp = static_cast<std::uint16_t>(warp),
                                               .pc = 0,
                                               .line = line * kLineBytes,
                                               .way = way,
                                               .operation = operation});
    }
    void lose(unsigned warp, std::uint64_t line = 7) {
        event(L1EventKind::evict, warp, line);
        event(L1EventKind::miss, warp, line);
    }
    std::map<std::string, std::uint64_t> counts() const {
        lookahead::test::Statistics statistics("ccws");
        scheduler->visit_statistics(statistics, "sm0.scheduler0");
        return statistics.of;
    }
};

/// Warps 0 to 3, after their first instructions.
struct FourWarps : CcwsBench {
    explicit FourWarps(unsigned instructions) : CcwsBench({0, 1, 2, 3}) { issue(instructions); }
};

TEST_CASE("without lost locality ccws issues as gto does, cycle for cycle") {
    std::mt19937_64 random(lookahead::test::random_seed());
    const std::vector<unsigned> order{3, 0, 7, 1, 2, 6, 5, 4};
    CcwsBench ccws(order), gto(order, "", ~ContextMask{0}, "gto");
    for (unsigned cycle = 0; cycle < 5000; ++cycle) {
        const ContextMask candidates = random() % 255 + 1;
        ccws.event(random() % 2 != 0 ? L1EventKind::miss : L1EventKind::hit, random() % 8, random() % 64);
        if (random() % 50 == 0) {
            const auto warp = static_cast<unsigned>(random() % 8);
            for (CcwsBench* bench : {&ccws, &gto}) {
                bench->scheduler->exited(warp);
                bench->scheduler->started(warp);
            }
        }
        REQUIRE(ccws.pick_load(candidates) == gto.pick_load(candidates));
    }
}

TEST_CASE("lost locality sets the score to hits over instructions times K times the cutoff") {
    // Four warps: 1 / n * 8 * 400. For each base score of 100 above 100, one more of the last warps may not load.
    const std::map<unsigned, std::size_t> loading_after{{33, 4}, {32, 4}, {31, 3}, {16, 3},
                                                        {15, 2}, {11, 2}, {10, 1}, {8, 1}};
    for (const auto& [instructions, loading] : loading_after) {
        CAPTURE(instructions);
        FourWarps bench(instructions);
        bench.lose(2);
        CHECK(bench.allowed(0xf).size() == loading);
        CHECK(bench.may_load(2));
    }
}

TEST_CASE("hits of all warps count for the score, which goes to the warp that hit") {
    FourWarps bench(64);
    bench.lose(0);  // 50: the base score
    CHECK(bench.allowed(0xf).size() == 4);
    bench.lose(3);  // 100
    CHECK(bench.allowed(0xf).size() == 4);
    bench.lose(3);  // 150
    CHECK(bench.allowed(0xf) == std::vector<unsigned>{0, 1, 3});
}

TEST_CASE("a score falls by one a cycle to the base score") {
    FourWarps bench(31);
    const Cycle begin = bench.view.cycle;
    bench.lose(0);  // 103
    for (const Cycle later : {0, 1, 2, 3, 4}) {
        bench.view.cycle = begin + later;
        CHECK(bench.may_load(3) == (later >= 3));
    }
}

TEST_CASE("a hit sets the score and does not add to it") {
    FourWarps bench(16);
    bench.lose(0);  // 200
    bench.issue(16);
    bench.lose(0);  // 2 / 32: 200 again, where 184 were left
    const Cycle begin = bench.view.cycle;
    CHECK(bench.allowed(0xf).size() == 3);
    bench.view.cycle = begin + 99;
    CHECK(!bench.may_load(3));
    bench.view.cycle = begin + 100;
    CHECK(bench.may_load(3));
}

TEST_CASE("a warp above the cutoff issues what is no load, and a load waits for nobody else's instruction") {
    FourWarps bench(31);
    bench.lose(0);
    CHECK(bench.pick_load(0b1000) == kHeldBack);
    CHECK(bench.pick(0b1000) == 3);
    bench.lose(0);
    bench.view.loading = 0b1000;
    CHECK(bench.pick(0b1100) == 2);  // though 3 was the last
    CHECK(bench.pick(0b1000) == kHeldBack);
    const auto counts = bench.counts();
    CHECK(counts.at("withholding") == 3);
    CHECK(counts.at("withheld_loads") == 3);
    CHECK(counts.at("held_back") == 2);
    CHECK(counts.at("picks") == 31 + 4);
}

TEST_CASE("an instruction counts once, whatever its accesses") {
    FourWarps bench(31);
    CHECK(bench.pick_load(0b1) == 0);  // one vector load: 32 instructions
    for (unsigned element = 0; element < 4; ++element) { bench.event(L1EventKind::miss, 0, 100 + element); }
    bench.lose(0);
    CHECK(bench.allowed(0xf).size() == 4);
    CHECK(bench.counts().at("probes") == 5);
}

TEST_CASE("what is held back is no instruction") {
    FourWarps bench(16);
    bench.lose(0);  // 200, for 100 cycles
    for (unsigned i = 0; i < 16; ++i) { CHECK(bench.pick_load(0b1000) == kHeldBack); }
    bench.lose(0);  // 2 / 16: 400, where 2 / 32 would be 200
    CHECK(bench.allowed(0xf) == std::vector<unsigned>{0});
}

TEST_CASE("of equal scores the older warps' are lower in the stack") {
    CcwsBench bench({2, 0, 3, 1});
    bench.issue(31);
    bench.lose(3);
    CHECK(bench.allowed(0xf) == std::vector<unsigned>{0, 2, 3});
    bench.scheduler->launch_started();
    bench.view.cycle += 1000;
    bench.issue(12);
    bench.event(L1EventKind::evict, 3, 1);
    bench.event(L1EventKind::evict, 2, 2);
    bench.event(L1EventKind::miss, 3, 1);  // 266
    bench.issue(12);
    bench.event(L1EventKind::miss, 2, 2);  // 2 / 24: 266, where 254 are left
    CHECK(bench.allowed(0xf) == std::vector<unsigned>{2});
}

TEST_CASE("higher scores are lower in the stack, whoever is older") {
    FourWarps bench(24);
    bench.lose(3);  // 133
    bench.lose(1);  // 266
    CHECK(bench.allowed(0xf) == std::vector<unsigned>{1, 3});
}

TEST_CASE("two scores that are equal go by age") {
    CcwsBench bench({1, 0});
    bench.event(L1EventKind::evict, 0, 1);
    bench.event(L1EventKind::evict, 1, 2);
    bench.issue(1);
    bench.event(L1EventKind::miss, 0, 1);
    bench.event(L1EventKind::miss, 1, 2);
    CHECK(bench.allowed(0b11) == std::vector<unsigned>{1});
}

TEST_CASE("the warp with the highest score may load when exits have put the cutoff beneath it") {
    FourWarps bench(8);
    bench.lose(3);  // 400
    for (const unsigned warp : {0u, 1u}) { bench.scheduler->exited(warp); }
    CHECK(bench.allowed(0b1100) == std::vector<unsigned>{3});
}

TEST_CASE("a score is at most so many cutoffs") {
    for (const Cycle limit : {0, 1, 2}) {
        CAPTURE(limit);
        CcwsBench bench({0, 1, 2, 3}, "ccws.score_limit = " + std::to_string(limit) + "\n");
        bench.issue(2);
        bench.lose(0);  // 1600
        const Cycle above = limit == 0 ? 1500 : 400 * limit - 100;
        bench.view.cycle += above - 1;
        CHECK(!bench.may_load(3));
        ++bench.view.cycle;
        CHECK(bench.may_load(3));
    }
}

TEST_CASE("a line is its owner's victim alone") {
    FourWarps bench(8);
    bench.event(L1EventKind::evict, 1, 7);
    bench.event(L1EventKind::miss, 0, 7);
    CHECK(bench.counts().at("victim_hits") == 0);
    bench.event(L1EventKind::miss, 1, 7);
    CHECK(bench.counts().at("victim_hits") == 1);
    CHECK(bench.allowed(0xf) == std::vector<unsigned>{1});
}

TEST_CASE("copies that are dropped, and lines that a prefetch or pre-load brought, are no victims") {
    CcwsBench bench({0, 1});
    for (const L1EventKind kind :
         {L1EventKind::invalidate, L1EventKind::detach, L1EventKind::fill, L1EventKind::hit, L1EventKind::allocate}) {
        bench.event(kind, 0, 7);
        bench.event(L1EventKind::miss, 0, 7);
    }
    for (const Client client : {Client::prefetch, Client::pre_load, Client::affine_expansion}) {
        bench.event(L1EventKind::evict, 0, 7, client);
        bench.event(L1EventKind::miss, 0, 7);
    }
    CHECK(bench.counts().at("insertions") == 0);
    CHECK(bench.counts().at("victim_hits") == 0);
    bench.lose(0);
    CHECK(bench.counts().at("victim_hits") == 1);
}

TEST_CASE("only demand loads that want a copy look their line up") {
    CcwsBench bench({0, 1});
    bench.event(L1EventKind::evict, 0, 7);
    bench.event(L1EventKind::miss, 0, 7, Client::demand, L1Operation::store);
    bench.event(L1EventKind::miss, 0, 7, Client::demand, L1Operation::atomic);
    bench.event(L1EventKind::miss, 0, 7, Client::demand, L1Operation::load, kNoWay);
    bench.event(L1EventKind::merge, 0, 7);
    CHECK(bench.counts().at("probes") == 0);
    bench.event(L1EventKind::miss, 0, 7, Client::prefetch);
    bench.event(L1EventKind::miss, 0, 7, Client::pre_load);
    CHECK(bench.counts().at("probes") == 0);
    bench.event(L1EventKind::miss, 0, 7);
    CHECK(bench.counts().at("probes") == 1);
    CHECK(bench.counts().at("victim_hits") == 1);
}

TEST_CASE("a scheduler scores its own warps, with the cutoff of their number") {
    CcwsBench bench({0, 2}, "", 0b0101);
    bench.issue(8);
    bench.lose(1);
    CHECK(bench.counts().at("insertions") == 0);
    bench.issue(8);
    bench.lose(0);  // 8 * 200 / 16 = 100
    CHECK(bench.allowed(0b0101).size() == 2);
    bench.lose(0);  // 200, the cutoff of two
    CHECK(bench.allowed(0b0101) == std::vector<unsigned>{0});
}

TEST_CASE("a warp's score and victims end with it") {
    FourWarps bench(10);
    bench.event(L1EventKind::evict, 0, 9);
    bench.lose(0);
    CHECK(bench.allowed(0xf).size() == 1);
    bench.scheduler->exited(0);
    CHECK(bench.allowed(0b1110).size() == 3);
    bench.scheduler->started(0);
    CHECK(bench.allowed(0xf).size() == 4);
    bench.event(L1EventKind::miss, 0, 9);
    CHECK(bench.counts().at("victim_hits") == 1);
}

TEST_CASE("a miss after its warp's exit raises nobody's score") {
    FourWarps bench(10);
    bench.event(L1EventKind::evict, 0, 9);
    bench.scheduler->exited(0);
    bench.event(L1EventKind::miss, 0, 9);
    CHECK(bench.counts().at("victim_hits") == 1);
    CHECK(bench.allowed(0b1110).size() == 3);
}

TEST_CASE("hits and instructions count from the launch's start") {
    FourWarps bench(8);
    bench.lose(0);
    bench.lose(0);
    bench.view.cycle += 400;
    bench.scheduler->launch_started();
    bench.issue(32);
    bench.lose(1);  // 1 / 32: the base score; 3 / 40 would be 240
    CHECK(bench.allowed(0xf).size() == 4);
}

TEST_CASE("it goes on alike after a checkpoint, in the middle of lost locality") {
    std::mt19937_64 random(lookahead::test::random_seed());
    CcwsBench original({0, 1, 2, 3, 4, 5}), restored({});
    const auto step = [](CcwsBench& bench, std::uint64_t choice) {
        const auto warp = static_cast<unsigned>(choice % 6);
        bench.event(choice >> 8 & 1 ? L1EventKind::evict : L1EventKind::miss, warp, choice >> 16 & 15);
        return bench.pick_load((choice >> 24 & 63) | 1);
    };
    for (unsigned i = 0; i < 2000; ++i) { step(original, random()); }
    CHECK(original.counts().at("held_back") > 0);
    load_state(*restored.scheduler, saved_state(*original.scheduler));
    restored.view.cycle = original.view.cycle;
    for (unsigned i = 0; i < 2000; ++i) {
        const std::uint64_t choice = random();
        REQUIRE(step(original, choice) == step(restored, choice));
    }
    CHECK(hash_of_state(*original.scheduler) == hash_of_state(*restored.scheduler));
    CHECK(original.counts() == restored.counts());
}

}  // namespace
}  // namespace lookahead::gpu
