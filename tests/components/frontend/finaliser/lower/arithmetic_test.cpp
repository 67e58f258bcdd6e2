#include <fmt/format.h>

#include <doctest/doctest.h>

#include "components/frontend/finaliser/finalise.h"
#include "tests/components/frontend/finaliser/differential.h"
#include "tests/components/isa/handler_harness.h"

using namespace lookahead;
using namespace lookahead::finaliser::test;
using isa::test::random_value;

namespace {

const LaunchConfiguration kTwoWarps{{1}, {64}};

/// Checks `body`, which leaves its result in %r9; %r0-2 and %rd0-2 differ between threads.
void check(const std::string& body) {
    std::string values;
    for (unsigned i = 0; i < 3; ++i) {
        values += fmt::format("mul.lo.u32 %r10, %t, {}; xor.b32 %r{}, %r10, {};", random_value() & 0xffffffff, i,
                              random_value() & 0xffffffff);
        values += fmt::format("cvt.u64.u32 %rd10, %t; mul.lo.u64 %rd10, %rd10, {}; xor.b64 %rd{}, %rd10, {};",
                              random_value() >> 1, i, random_value() >> 1);
    }
    // Some threads have equal operands.
    values += "and.b32 %r10, %t, 7; setp.eq.u32 %p7, %r10, 3; @%p7 mov.u32 %r1, %r0; @%p7 mov.u64 %rd1, %rd0;";
    run_everywhere(kernel_text(values + body + "st.global.u32 [%out], %r9;"), kTwoWarps);
}

std::string folded(const std::string& wide) {
    return fmt::format(
        "cvt.u32.u64 %r11, {0}; shr.u64 {0}, {0}, 32; cvt.u32.u64 %r12, {0};"
        "mad.lo.u32 %r9, %r11, 31, %r12;",
        wide);
}

}  // namespace

TEST_CASE("carries go from sum to sum and from difference to difference, in every width") {
    for (int round = 0; round < 6; ++round) {
        for (const char* type : {"u32", "s32"}) {
            check(
                fmt::format("add.cc.{0} %r3, %r0, %r1; addc.cc.{0} %r4, %r1, %r2; addc.{0} %r5, %r0, %r2;"
                            "mad.lo.u32 %r9, %r3, 7, %r4; mad.lo.u32 %r9, %r9, 7, %r5;",
                            type));
            check(
                fmt::format("sub.cc.{0} %r3, %r0, %r1; subc.cc.{0} %r4, %r1, %r2; subc.{0} %r5, %r0, %r2;"
                            "mad.lo.u32 %r9, %r3, 7, %r4; mad.lo.u32 %r9, %r9, 7, %r5;",
                            type));
            check(
                fmt::format("mad.lo.cc.{0} %r3, %r0, %r1, %r2; madc.hi.cc.{0} %r4, %r0, %r1, %r2;"
                            "madc.hi.{0} %r5, %r2, %r1, %r0; addc.u32 %r6, 0, 0; mad.lo.u32 %r9, %r3, 7, %r4;"
                            "mad.lo.u32 %r9, %r9, 7, %r5; mad.lo.u32 %r9, %r9, 7, %r6;",
                            type));
        }
    }
    for (int round = 0; round < 6; ++round) {
        check(
            "add.cc.u64 %rd3, %rd0, %rd1; addc.cc.s64 %rd4, %rd1, %rd2; addc.u64 %rd5, %rd0, 0;"
            "xor.b64 %rd3, %rd3, %rd4; sub.cc.u64 %rd6, %rd0, %rd1; subc.u64 %rd7, %rd2, %rd1; add.u64 %rd3, %rd3, "
            "%rd5; add.u64 %rd3, %rd3, %rd7;" +
            folded("%rd3"));
        check(
            "setp.lt.u32 %p0, %t, 30; add.cc.u32 %r3, %r0, %r0; @%p0 add.cc.u32 %r4, %r1, %r1; addc.u32 %r9, %r3, 0;");
    }
}

TEST_CASE("a 128-bit product by mad.cc and madc is exact") {
    const auto words = run_everywhere(
        kernel_text("mov.u32 %r0, 0xffffffff; mul.lo.u32 %r4, %r0, %r0; mul.hi.u32 %r5, %r0, %r0;"
                    "mad.lo.cc.u32 %r5, %r0, %r0, %r5; madc.hi.u32 %r6, %r0, %r0, 0;"
                    "mad.lo.cc.u32 %r5, %r0, %r0, %r5; madc.hi.cc.u32 %r6, %r0, %r0, %r6; addc.u32 %r7, 0, 0;"
                    "mad.lo.cc.u32 %r6, %r0, %r0, %r6; madc.hi.u32 %r7, %r0, %r0, %r7;"
                    "st.global.v4.u32 [%out], {%r4, %r5, %r6, %r7};"),
        {{1}, {1}});
    // (2^64 - 1)^2 = 2^128 - 2^65 + 1
    CHECK(words[0] == 1);
    CHECK(words[1] == 0);
    CHECK(words[2] == 0xfffffffe);
    CHECK(words[3] == 0xffffffff);
}

TEST_CASE("a warp's reductions are of the lanes that execute them") {
    const ptx::Module module = kernel_module(
        "sub.s32 %r0, %t, 10; redux.sync.add.s32 %r1, %r0, -1; redux.sync.min.s32 %r2, %r0, -1;"
        "redux.sync.max.u32 %r3, %r0, -1; redux.sync.or.b32 %r4, %t, -1; setp.lt.u32 %p0, %t, 8;"
        "@%p0 redux.sync.add.u32 %r1, %t, 0xff; mad.lo.u32 %r1, %r2, 1000, %r1; add.u32 %r1, %r1, %r3;"
        "mad.lo.u32 %r1, %r4, 100000, %r1; st.global.u32 [%out], %r1;");
    const auto words = emulate(module, {}, {{1}, {32}}, 0, 32);
    const std::uint32_t rest = static_cast<std::uint32_t>(-10) * 1000 + 0xffffffffu + 31 * 100000;
    for (std::uint32_t t = 0; t < 32; ++t) { CHECK(words[t] == (t < 8 ? 28u : 496u - 320u) + rest); }
}

TEST_CASE("prefetches change nothing") {
    const auto words =
        run_everywhere(kernel_text("prefetch.global.L1 [%out]; prefetch.L2 [%out+64]; prefetchu.L1 [%out];"
                                   "st.global.u32 [%out], 3;"),
                       {{1}, {2}});
    CHECK(words[1] == 3);
}
