// Random programs: with P-mode a warp executes the same instructions in the same lanes as on the functional emulator,
// with the same effect (PmodeBench compares each), and as many as without P-mode.
#include <doctest/doctest.h>

#include "tests/components/mechanisms/pmode/pmode_bench.h"
#include "tests/components/sm/random_kernel.h"
#include "tests/support/seed.h"

namespace lookahead::test {
namespace {

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
        plain.run({threads, 1, 1});
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
        bench.run({threads, 1, 1});
        CHECK(bench.harness.counters().thread_instructions == plain.harness.counters().thread_instructions);
        reused += bench.counters().reused;
    }
    CHECK(reused > 1000);
}

}  // namespace
}  // namespace lookahead::test
