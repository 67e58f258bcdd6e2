#include <doctest/doctest.h>

#include "components/frontend/finaliser/finalise.h"
#include "core/error/error.h"
#include "tests/components/frontend/finaliser/differential.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

const LaunchConfiguration kWarp{{1}, {50}};

}  // namespace

TEST_CASE("each thread has a local array of its own, indexed at run time") {
    const auto words = run_everywhere(
        kernel_text(".local .align 4 .b8 depot[64]; mov.u64 %rd0, depot; mov.u32 %r0, 0;\nL:\n"
                    "mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd1, %rd0; mad.lo.u32 %r1, %r0, 100, %t;"
                    "st.local.u32 [%rd1], %r1; add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 16; @%p0 bra L;"
                    "and.b32 %r2, %t, 15; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd2, %rd0;"
                    "ld.local.u32 %r3, [%rd2]; st.global.u32 [%out], %r3;"),
        kWarp);
    for (std::uint32_t t = 0; t < 50; ++t) { CHECK(words[t] == t % 16 * 100 + t); }
}

TEST_CASE("local accesses of every width read what was written") {
    const auto words = run_everywhere(
        kernel_text(".local .align 16 .b8 depot[64]; mov.u64 %rd0, depot; cvt.u64.u32 %rd1, %t;"
                    "mul.lo.u64 %rd1, %rd1, 0x123456789abcdef; st.local.u64 [%rd0+8], %rd1;"
                    "ld.local.u8 %r0, [%rd0+9]; ld.local.s16 %r1, [%rd0+10]; ld.local.u32 %r2, [%rd0+12];"
                    "st.local.v4.u32 [%rd0+16], {%r0, %r1, %r2, %t}; st.local.u8 [%rd0+17], %r2;"
                    "ld.local.v2.u64 {%rd2, %rd3}, [%rd0+16]; xor.b64 %rd2, %rd2, %rd3;"
                    "ld.local.v4.u16 {%rs0, %rs1, %rs2, %rs3}, [%rd0+8]; cvt.u32.u16 %r3, %rs3;"
                    "ld.local.u64 %rd0, [%rd0+16];"  // over its own address
                    "add.s64 %rd2, %rd2, %rd0; cvt.u32.u64 %r4, %rd2; shr.u64 %rd2, %rd2, 32; cvt.u32.u64 %r5, %rd2;"
                    "xor.b32 %r4, %r4, %r5; add.u32 %r4, %r4, %r3; st.global.u32 [%out], %r4;"),
        kWarp);
    CHECK(words[3] != words[4]);
}

TEST_CASE("generic addresses of local memory reach it, also in accesses that are as wide as memory allows") {
    const auto words = run_everywhere(
        kernel_text(".local .align 16 .b8 depot[32]; mov.u64 %rd0, depot; cvta.local.u64 %rd1, %rd0;"
                    "cvt.u64.u32 %rd2, %t; mul.lo.u64 %rd2, %rd2, 0x100000003; st.u64 [%rd1], %rd2;"
                    "st.v2.u32 [%rd1+8], {%t, %a}; ld.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1]; ld.local.u32 %r4, [%rd0+4];"
                    "add.u32 %r0, %r0, %r1; add.u32 %r0, %r0, %r2; add.u32 %r0, %r0, %r3; sub.u32 %r0, %r0, %r4;"
                    "cvta.to.local.u64 %rd3, %rd1; ld.local.u32 %r5, [%rd3+12]; add.u32 %r0, %r0, %r5;"
                    "setp.ge.u32 %p0, %t, 25; cvta.global.u64 %rd4, %out; selp.b64 %rd5, %rd4, %rd1, %p0;"
                    "st.u32 [%rd5], %r0; @!%p0 ld.u32 %r6, [%rd1]; @!%p0 st.global.u32 [%out], %r6;"),
        kWarp, 1000);
    for (std::uint32_t t = 0; t < 50; ++t) { CHECK(words[t] == 3 * t + t + 1000 + 1000); }
}

TEST_CASE("an index beyond the local array is reported") {
    const ptx::Module module = kernel_module(
        ".local .align 4 .b8 depot[16]; mov.u64 %rd0, depot; mul.wide.u32 %rd1, %t, 4;"
        "add.s64 %rd0, %rd0, %rd1; st.local.u32 [%rd0], %t;");
    CHECK_NOTHROW(emulate(module, {}, {{1}, {4}}, 0, 1));
    CHECK_THROWS_WITH_AS(emulate(module, {}, {{1}, {5}}, 0, 1), doctest::Contains("local memory"), ProgramError);
}
