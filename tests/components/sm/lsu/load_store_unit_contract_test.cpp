// The contract of slot sm.load_store_unit, for every registered variant.
#include <doctest/doctest.h>

#include "components/sm/lsu/request_path.h"
#include "tests/components/sm/lsu/local_accesses.h"
#include "tests/support/seed.h"

namespace lookahead::gpu::test::load_store_unit_contract_tests {
namespace {

using lookahead::test::random_seed;
using VariantBench = UnitBench<LoadStoreUnit>;

constexpr Cycle kEnd = 10'000;

/// Runs random warps to their end and returns the hash of unit, registers and constants. `jumping` calls the unit only
/// for an instruction, for a reply or in a cycle that it asked for; `restored` saves and loads it every 97 cycles.
std::uint64_t run(const std::string& variant, std::uint64_t seed, Way way, const std::string& path) {
    VariantBench bench({"sm.load_store_unit=" + variant, "memory.request_path=" + path, "l1d.set_index=linear",
                        "l1d.sets=4", "l1d.mshrs=4"});
    RandomAccesses warps(seed, bench, 64);
    const std::span<const isa::Instruction> code = warps.code();
    bench.kernels.front().code.assign(code.begin(), code.end());
    bench.begin_launch();
    const auto step = [&](bool may_act) {
        const bool acts = may_act && bench.now % 2 == 0 && warps.act();
        bench.cycle(way, acts);
        warps.look();
        if (way == Way::restored && bench.now % 97 == 0) {
            bench.save_and_load(code, [&] { bench.begin_launch(); });
        }
        ++bench.now;
    };
    while (bench.now < kEnd) { step(true); }
    for (const Cycle limit = kEnd + 10'000; bench.now < limit && !(bench.unit->drained() && !warps.waits());) {
        step(false);
    }
    REQUIRE(bench.unit->drained());
    REQUIRE(!warps.waits());
    CHECK(warps.compared() > 1000);
    CHECK(warps.wrong() == 0);
    CHECK(warps.wrong_words() == 0);
    return bench.hash(code);
}

TEST_CASE(
    "a load/store unit gives each warp the values of its program order, whether idle cycles are stepped or jumped "
    "over, "
    "and goes on when it is saved and loaded as if it had not been") {
    const std::vector<std::string> variants = variant_names<LoadStoreUnit>();
    REQUIRE(!variants.empty());
    for (const std::string& variant : variants) {
        CAPTURE(variant);
        for (std::uint64_t seed = random_seed(), end = seed + 4; seed < end; ++seed) {
            CAPTURE(seed);
            for (const std::string& path : variant_names<RequestPath>()) {
                CAPTURE(path);
                const std::uint64_t hash = run(variant, seed, Way::every_cycle, path);
                CHECK(hash == run(variant, seed, Way::jumping, path));
                CHECK(hash == run(variant, seed, Way::restored, path));
            }
        }
    }
}

}  // namespace
}  // namespace lookahead::gpu::test::load_store_unit_contract_tests
