// The contract of slot sm.prefetcher, for every registered variant.
#include <doctest/doctest.h>

#include <random>

#include "tests/components/mechanisms/prefetchers/prefetch_bench.h"

namespace lookahead::gpu::test {
namespace {

/// Random warps in loops over strided and random addresses, with stores in between; the seed determines everything.
class RandomProgram {
  public:
    RandomProgram(PrefetchBench& bench, std::uint64_t seed) : bench_(bench), random_(seed) {
        for (std::uint64_t& stride : strides_) { stride = random_() % 5; }
    }

    /// Issues one memory instruction if the unit accepts one.
    void act() {
        if (!bench_.unit->can_accept() || random_() % 3 == 0) { return; }
        const auto context = static_cast<std::uint16_t>(random_() % kContexts);
        const auto pc = static_cast<std::uint32_t>(random_() % strides_.size());
        if (random_() % 8 == 0) {
            const std::uint64_t line = random_() % 200;
            MemoryInstruction what =
                bench_.instruction(store_, words_from(kBase + line * kLineBytes), isa::kFullMask, 0, context);
            what.data[0][0] = static_cast<std::uint32_t>(random_());
            bench_.unit->accept(what, bench_.now);
            return;
        }
        if (random_() % 8 == 0) {
            bench_.unit->accept(bench_.vector_load(context, random_() % 200, static_cast<std::int32_t>(random_() % 3)),
                                bench_.now);
            return;
        }
        const std::uint64_t first =
            pc * 40 + context * strides_[pc] + (random_() % 4 == 0 ? random_() % 100 : iteration_++ / 8);
        const std::uint64_t pitch = 1 + random_() % 2;
        MemoryInstruction what = bench_.instruction(
            bench_.kernels.front().code[pc],
            [&](unsigned lane) { return kBase + (first + pitch * (lane / 16)) * kLineBytes + 4 * (lane % 16); },
            isa::kFullMask, context, context);
        what.pc = pc;
        what.cta_slot = context / 2;
        bench_.unit->accept(what, bench_.now);
    }

  private:
    PrefetchBench& bench_;
    std::mt19937_64 random_;
    std::array<std::uint64_t, 6> strides_{};
    std::uint64_t iteration_ = 0;
    const isa::Instruction store_ = make_memory(isa::Operation::store);
};

/// Runs 3000 cycles and drains; `restored` saves and loads the unit every 97 cycles.
std::uint64_t run(const std::string& prefetcher, std::uint64_t seed, Way way, PrefetchCounters* counters = nullptr) {
    // The prefetcher orch requires the scheduler.
    PrefetchBench bench(prefetcher,
                        {"l1d.sets=32", "l1d.mshrs=8", "prefetch.queue=8", "sm.warp_scheduler=group_interleaved"});
    RandomProgram program(bench, seed);
    for (Cycle end = 3000; bench.now < end; ++bench.now) {
        const bool issues = bench.now % 7 == 0;
        if (issues) { program.act(); }
        bench.cycle(way, issues);
        if (way == Way::restored && bench.now % 97 == 0) {
            bench.save_and_load(bench.kernels.front().code, [&] { bench.begin_launch(); });
        }
    }
    REQUIRE(bench.drain_and_end());
    REQUIRE(bench.drain());
    if (counters != nullptr) { *counters = bench.prefetches(); }
    return bench.hash(bench.kernels.front().code);
}

template <class Test>
void on_each(Test&& test) {
    std::vector<std::string> names = variant_names<Prefetcher>();
    std::erase(names, "none");
    REQUIRE(names.size() >= 2);
    for (const std::string& name : names) {
        CAPTURE(name);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            CAPTURE(seed);
            test(name, seed);
        }
    }
}

TEST_CASE("a prefetcher gives the same result when idle cycles are jumped over, and when it is saved and loaded") {
    on_each([](const std::string& name, std::uint64_t seed) {
        const std::uint64_t hash = run(name, seed, Way::every_cycle);
        CHECK(hash == run(name, seed, Way::jumping));
        CHECK(hash == run(name, seed, Way::restored));
    });
}

TEST_CASE("every prefetch of a prefetcher has exactly one fate when its launch has ended") {
    on_each([](const std::string& name, std::uint64_t seed) {
        PrefetchCounters counters;
        run(name, seed, Way::jumping, &counters);
        CHECK(counters.outstanding == 0);
        CHECK(counters.queued == 0);
        CHECK(counters.issued == counters.useful + counters.late + counters.early_evicted + counters.unused);
        CHECK(counters.requested ==
              counters.duplicates + counters.unmapped + counters.dropped + counters.cleared + counters.issued);
    });
}

}  // namespace
}  // namespace lookahead::gpu::test
