// The contract of slot l1d.companion, for every registered variant and one of the tests' own.
#include <doctest/doctest.h>

#include "tests/components/sm/lsu/local_accesses.h"
#include "tests/components/sm/lsu/word_companion.h"
#include "tests/support/seed.h"

namespace lookahead::gpu::test {
namespace {

/// The cases that the test's companion met in all runs: all must occur.
struct Met {
    std::uint64_t absorbed = 0, taken = 0, merged = 0, served = 0, missed = 0;

    void add(const WordCompanion* companion) {
        if (companion == nullptr) { return; }
        absorbed += companion->absorbed;
        taken += companion->taken;
        merged += companion->merged;
        served += companion->served_words;
        missed += companion->missed_words;
    }
};

std::uint64_t run(const std::string& variant, std::uint64_t seed, Way way, Met& met) {
    constexpr const char* kPolicies[] = {"write_back_no_allocate", "write_back", "write_back_fetch"};
    Bench::Overrides overrides = tight(static_cast<unsigned>(seed), kPolicies[seed % 3]);
    overrides.push_back("l1d.companion=" + variant);
    Bench bench(overrides);
    RandomAccesses program(seed, bench);
    for (unsigned kernel = 0; kernel < 3; ++kernel) {
        const Cycle end = bench.now + 2800;
        bool ended = false;
        for (const Cycle limit = end + 20'000; bench.now < limit; ++bench.now) {
            if (bench.now >= end && !ended && !program.waits()) {
                bench.unit->end_launch();
                ended = true;
                bench.next_call = 0;
            }
            if (ended && bench.unit->drained()) { break; }
            const bool acts = bench.now < end && bench.now % 4 == 0 && program.act();
            bench.cycle(way, acts);
            program.look();
            if (way == Way::restored && bench.now % 31 == 0) { bench.save_and_load(program.code()); }
        }
        REQUIRE(bench.unit->drained());
        bench.unit->begin_kernel();
        CHECK(audit_of(bench) == "");
        program.forget();  // a kernel sees an older kernel's values only in memory
    }
    CHECK(program.compared() > 1000);
    CHECK(program.wrong() == 0);
    met.add(dynamic_cast<const WordCompanion*>(bench.unit->companion()));
    return bench.hash(program.code());
}

TEST_CASE("private memory beside every companion has what the threads stored, jumped over, or saved and loaded") {
    const std::vector<std::string> variants = variant_names<L1Companion>();
    CHECK(std::ranges::count(variants, "none") == 1);
    CHECK(std::ranges::count(variants, "words") == 1);
    Met met;
    for (const std::string& variant : variants) {
        CAPTURE(variant);
        for (std::uint64_t seed = lookahead::test::random_seed(), end = seed + 24; seed < end; ++seed) {
            CAPTURE(seed);
            const std::uint64_t hash = run(variant, seed, Way::every_cycle, met);
            CHECK(hash == run(variant, seed, Way::jumping, met));
            CHECK(hash == run(variant, seed, Way::restored, met));
        }
    }
    for (const std::uint64_t each : {met.absorbed, met.taken, met.merged, met.served, met.missed}) {
        CHECK(each > 100);
    }
}

}  // namespace
}  // namespace lookahead::gpu::test
