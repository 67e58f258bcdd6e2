// Random kernels with affine units leave what they should. LOOKAHEAD_TEST_SEED repeats a run.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <random>

#include "tests/components/mechanisms/dac/machine_bench.h"
#include "tests/functional/dac/bench.h"
#include "tests/functional/dac/random_kernel.h"
#include "tests/support/seed.h"

namespace lookahead::cae::test {
namespace {

using namespace dac::test;

TEST_CASE("random kernels leave what they should where affine units execute what is a tuple") {
    constexpr unsigned kKernels = 30;
    const std::uint64_t first = lookahead::test::random_seed();
    std::uint64_t executed = 0, expanded = 0;
    for (std::uint64_t seed = first; seed < first + kKernels; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const std::string text = kernel_text(RandomKernel(seed).body() + "END:");
        const isa::Dim3 grid = kRandomGrids[seed % 3], block = kRandomBlocks[seed % 6];
        const std::vector<std::uint32_t> parameters{static_cast<std::uint32_t>(seed % 19),
                                                    static_cast<std::uint32_t>(seed * 77)};
        const std::vector<std::string> options{
            fmt::format("sm.issue_interval={}", 1 + random() % 2),
            fmt::format("sm.simt={}", random() % 2 == 0 ? "stack" : "convergence_barrier"),
            fmt::format("sm.operand_collectors={}", random() % 2 == 0),
            fmt::format("isa.expand_64bit={}", random() % 2 == 0),
            fmt::format("sm.warp_scheduler={}", random() % 2 == 0 ? "gto" : "two_level")};
        const MachineRun run = run_on_machine(text, grid, block, parameters, options, "cae", "none");
        CHECK(run.fault == "");
        CHECK((run.words == right_words(text, grid, block, parameters)));
        executed += run.cae.instructions;
        expanded += run.cae.expansions;
    }
    MESSAGE("executed " << executed << ", expanded " << expanded);
    CHECK(executed > 10 * kKernels);
    CHECK(expanded > 0);
}

}  // namespace
}  // namespace lookahead::cae::test
