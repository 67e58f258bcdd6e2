// Random kernels with affine units give right results. LOOKAHEAD_TEST_SEED repeats a run.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "tests/components/mechanisms/dac/machine_bench.h"
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
        const std::vector<std::string> options{
            fmt::format("sm.issue_interval={}", 1 + random() % 2),
            fmt::format("sm.simt={}", random() % 2 == 0 ? "stack" : "convergence_barrier"),
            fmt::format("sm.operand_collectors={}", random() % 2 == 0),
            fmt::format("isa.expand_64bit={}", random() % 2 == 0),
            fmt::format("sm.warp_scheduler={}", random() % 2 == 0 ? "gto" : "two_level")};
        const MachineRun run = run_random_kernel(seed, options, "cae", "none");
        executed += run.cae.instructions;
        expanded += run.cae.expansions;
    }
    MESSAGE("executed " << executed << ", expanded " << expanded);
    CHECK(executed > 10 * kKernels);
    CHECK(expanded > 0);
}

}  // namespace
}  // namespace lookahead::cae::test
