// An SM with decoupled kernels continues from a copy at any time, and in windows of any length, without a difference.
#include <doctest/doctest.h>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "tests/functional/dac/bench.h"
#include "tests/support/restored_copies.h"
#include "tests/support/seed.h"

namespace lookahead::dac::test {
namespace {

using lookahead::test::SmHarness;

/// Loads, stores, predicates of all kinds, a barrier, addresses that no record can express, and values that live
/// through the loop.
isa::Kernel decoupled(unsigned registers) {
    const std::string text = kernel_text(
        "mov.u32 %r1, %tid.x; mov.u32 %r40, 0; ld.global.u32 %r9, [%out]; ld.global.u32 %r10, [%out+4];"
        "ld.global.u32 %r11, [%out+8]; ld.global.u32 %r12, [%out+12];\n"
        "L: shl.b32 %r2, %gid, 2; cvt.u64.u32 %rd1, %r2; add.s64 %rd1, %out, %rd1; ld.global.u32 %r3, [%rd1]; add.u32 "
        "%r9, %r9, %r3;\n"
        "add.u32 %r9, %r9, %r10; xor.b32 %r9, %r9, %r11; add.u32 %r9, %r9, %r12; and.b32 %r5, %r1, 15; mul.wide.u32 "
        "%rd3, %r5, 4; add.s64 %rd3, %out, %rd3; ld.global.u32 %r6, [%rd3+64];\n"
        "add.u32 %r9, %r9, %r6; setp.lt.u32 %p1, %r1, 40; @%p1 bra N; add.u32 %r9, %r9, %a; st.global.u32 [%rd1+4096], "
        "%r9;\n"
        "N: bar.sync 0; add.u32 %r40, %r40, 1; setp.lt.u32 %p9, %r40, %b; @%p9 bra L; st.global.u32 [%rd1+8192], %r9;");
    const ptx::Module module = ptx::parse_module(text, "test.ptx");
    finaliser::FinaliserOptions options;
    options.isa.registers = registers;
    options.rematerialise = false;
    return finaliser::finalise(module, module.functions[0], with("dac", options));
}

struct Bench : lookahead::test::LaunchedSm {
    explicit Bench(unsigned registers = 63)
        : LaunchedSm(decoupled(registers), "[sm]\nissue_extension = \"dac\"\n[dac]\ncheck = true\n") {}
};
struct SpillingBench : Bench {
    SpillingBench() : Bench(4) {}
};

TEST_CASE("an SM with an affine warp goes on from a copy in the middle as if nothing had been") {
    lookahead::test::require_that_copies_go_on<Bench>(23);
}

TEST_CASE("so it does with a kernel whose warps spill beside the affine stream") {
    CHECK(decoupled(4).spill_bytes > 0);
    lookahead::test::require_that_copies_go_on<SpillingBench>(23);
}

TEST_CASE("windows of any length change nothing of an SM with an affine warp") {
    std::mt19937_64 random(lookahead::test::random_seed());
    Bench whole, chopped;
    REQUIRE(whole.harness.run());
    while (!chopped.harness.done() && chopped.harness.now() < 100000) {
        chopped.harness.run_until(chopped.harness.now() + 1 + static_cast<Cycle>(random() % SmHarness::kLatency));
    }
    CHECK(chopped.harness.received().back().cycle == whole.harness.received().back().cycle);
    CHECK(chopped.harness.counters().warp_instructions == whole.harness.counters().warp_instructions);
}

}  // namespace
}  // namespace lookahead::dac::test
