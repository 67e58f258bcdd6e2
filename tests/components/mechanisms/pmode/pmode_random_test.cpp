// Random programs: with P-mode a warp executes the same instructions in the same lanes as on the functional emulator,
// with the same effect (PmodeBench compares each), and as many as without P-mode.
#include <doctest/doctest.h>

#include <random>

#include "tests/components/mechanisms/pmode/pmode_bench.h"
#include "tests/components/sm/random_kernel.h"
#include "tests/support/seed.h"

namespace lookahead::test {
namespace {

struct Outcome {
    std::map<unsigned, std::vector<std::pair<std::uint32_t, isa::LaneMask>>> traces;
    std::vector<std::uint32_t> memory;
    std::uint64_t threads;
    bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(PmodeBench& bench, unsigned threads) {
    bench.run({threads, 1, 1});
    Outcome outcome{bench.own_traces(), {}, bench.harness.counters().thread_instructions};
    for (unsigned i = 0; i < 256; ++i) { outcome.memory.push_back(bench.harness.memory().global_word(4 * i)); }
    return outcome;
}

TEST_CASE("random programs take the same way with P-mode, and leave the same memory") {
    const std::uint64_t first_seed = random_seed();
    std::uint64_t reused = 0;
    for (std::uint64_t seed = first_seed; seed < first_seed + 150; ++seed) {
        CAPTURE(seed);
        const isa::Kernel kernel = RandomKernel(seed).finish();
        std::mt19937_64 random(seed);
        const auto threads = static_cast<unsigned>(1 + random() % 160);
        const FakeMemory memory{.global_latency = static_cast<Cycle>(40 + random() % 400),
                                .element_interval = static_cast<Cycle>(random() % 100)};
        const std::string simt = seed % 2 == 0 ? "simt = \"convergence_barrier\"\n" : "";
        PmodeBench plain(kernel, "registers = 0\n", memory, simt);
        const Outcome expected = outcome_of(plain, threads);
        REQUIRE(plain.counters().switches == 0);
        const std::string keys = "pqueue_entries = " + std::to_string(random() % 12) +
                                 "\nregisters = " + std::to_string(1 + random() % 128) +
                                 "\nreach = " + std::to_string(8 << random() % 8) +
                                 "\nsimt_entries = " + std::to_string(1 + random() % 8) +
                                 "\nswitch_cycles = " + std::to_string(random() % 4) +
                                 "\none_buffer = " + (random() % 2 == 0 ? "true" : "false") +
                                 "\npre_loads = " + (random() % 4 == 0 ? "false" : "true") + "\n";
        CAPTURE(keys);
        PmodeBench bench(kernel, keys, memory, simt);
        REQUIRE(outcome_of(bench, threads) == expected);
        reused += bench.counters().reused;
    }
    CHECK(reused > 1000);
}

}  // namespace
}  // namespace lookahead::test
