// Random kernels with the constructs that the pass analyses: linear values, remainders, selections, predicates, nested
// branches and loops, some of which depend on data. Each runs unchanged and as two streams (bench.h); all entries and
// all final bytes must be equal. LOOKAHEAD_TEST_SEED repeats a run.
#include <doctest/doctest.h>

#include <array>

#include "tests/functional/dac/bench.h"
#include "tests/functional/dac/random_kernel.h"
#include "tests/support/seed.h"

using namespace lookahead;
using namespace lookahead::dac::test;

namespace {

constexpr unsigned kKernels = 200;
constexpr std::array kDecouple = {"all", "accesses", "predicates"};

}  // namespace

TEST_CASE("random kernels do as two streams what they did as one") {
    const std::uint64_t first = lookahead::test::random_seed();
    std::uint64_t compared = 0, reports = 0, spilled = 0;
    std::size_t tuples = 0;
    for (std::uint64_t seed = first; seed < first + kKernels; ++seed) {
        CAPTURE(seed);
        const std::string text = kernel_text(RandomKernel(seed).body() + "END:");
        CAPTURE(text);
        finaliser::FinaliserOptions options;
        options.schedule = seed % 3 != 0;
        options.fuse_products = seed % 4 == 0;
        options.isa.expand_64bit = seed % 5 == 0;
        options.isa.single_constant = seed % 7 == 0;
        options.rematerialise = seed % 9 != 0;
        if (seed % 2 == 1) { options.isa.registers = 6 + seed / 2 % 12; }
        if (seed % 3 == 1) { options.predicate_limit = 2 + seed / 3 % 5; }
        Outcome outcome;
        CHECK_NOTHROW(outcome =
                          run(text, kRandomGrids[seed % 3], kRandomBlocks[seed % 6],
                              {static_cast<std::uint32_t>(seed % 19), static_cast<std::uint32_t>(seed * 77)}, options,
                              {std::string("dac.reports=") + (seed % 2 == 0 ? "true" : "false"),
                               std::string("dac.shared_accesses=") + (seed % 2 == 0 ? "false" : "true"),
                               "dac.divergent_conditions=" + std::to_string(seed % 8 == 0 ? seed / 8 % 3 : 2),
                               std::string("dac.decouple=") + kDecouple[seed % 8 == 1 ? seed / 8 % 3 : 0]}));
        compared += outcome.compared;
        reports += outcome.reports;
        spilled += outcome.decoupled.spill_bytes;
        tuples = std::max(tuples, outcome.most_tuples);
    }
    MESSAGE("compared " << compared << ", most tuples " << tuples << ", reports " << reports << ", bytes spilled "
                        << spilled);
    CHECK(spilled > 0);
    CHECK(reports > kKernels / 4);
    CHECK(compared > 10 * kKernels);
    CHECK(tuples > 1);
    CHECK(tuples <= 4);
}
