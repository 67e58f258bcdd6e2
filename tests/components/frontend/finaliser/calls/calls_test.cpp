#include <doctest/doctest.h>
#include <fmt/core.h>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "tests/components/frontend/finaliser/differential.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

const LaunchConfiguration kTwoWarps{{1}, {50}};

/// A call of `name` with one 32-bit argument and a 32-bit result, as nvcc writes it.
std::string call(const std::string& name, const std::string& result, const std::string& argument,
                 const std::string& guard = "") {
    return "{ .param .b32 param0; st.param.b32 [param0], " + argument + "; .param .b32 retval0; " + guard +
           "call.uni (retval0), " + name + ", (param0); ld.param.b32 " + result + ", [retval0]; }\n";
}

const std::string kTwice =
    ".func (.param .b32 result) twice(.param .b32 x)\n{ .reg .b32 %r<2>; ld.param.u32 %r0, [x]; add.u32 %r1, %r0, %r0;"
    " st.param.b32 [result], %r1; ret; }\n";

TEST_CASE("a device function's result comes back, from several calls and nested ones") {
    const std::string four_times =
        ".func (.param .b32 result) four(.param .b32 x)\n{ .reg .b32 %r<4>; ld.param.u32 %r0, [x];" +
        call("twice", "%r1", "%r0") + call("twice", "%r2", "%r1") + "st.param.b32 [result], %r2; ret; }\n";
    const auto words =
        run_everywhere(kernel_text(call("four", "%r0", "%t") + call("twice", "%r1", "%a") + "add.u32 %r0, %r0, %r1;" +
                                       call("four", "%r2", "%r0") + "st.global.u32 [%out], %r2;",
                                   kTwice + four_times),
                       kTwoWarps, 5);
    for (std::uint32_t t = 0; t < 50; ++t) { CHECK(words[t] == 4 * (4 * t + 10)); }
}

TEST_CASE("functions may return early, loop and diverge") {
    const std::string collatz =
        ".func (.param .b32 steps) collatz(.param .b32 x)\n{ .reg .b32 %r<8>; .reg .pred %p<3>; ld.param.u32 %r0, [x];"
        " mov.u32 %r1, 0; setp.eq.u32 %p0, %r0, 0; @!%p0 bra LOOP; st.param.b32 [steps], 1000; ret;\nLOOP:\n"
        " setp.eq.u32 %p0, %r0, 1; @%p0 bra DONE; and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0;"
        " add.u32 %r1, %r1, 1; @%p1 shr.u32 %r0, %r0, 1; @%p1 bra LOOP; mad.lo.u32 %r0, %r0, 3, 1; bra LOOP;\nDONE:\n"
        " st.param.b32 [steps], %r1; ret; }\n";
    const auto words =
        run_everywhere(kernel_text(call("collatz", "%r0", "%t") + "st.global.u32 [%out], %r0;", collatz), kTwoWarps);
    CHECK(words[0] == 1000);
    CHECK(words[1] == 0);
    CHECK(words[27] == 111);
}

TEST_CASE("structures pass by value, in words, bytes and wide parts") {
    const std::string mix =
        ".func (.param .align 8 .b8 result[16]) mix(.param .align 8 .b8 s[16], .param .b64 wide)\n"
        "{ .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .b16 %h<2>; ld.param.u64 %rd0, [s]; ld.param.u64 %rd1, [wide];"
        " ld.param.s8 %r0, [s+9]; ld.param.u16 %h0, [s+10]; cvt.u32.u16 %r1, %h0; ld.param.u32 %r2, [s+12];"
        " add.s64 %rd0, %rd0, %rd1; st.param.b64 [result], %rd0; add.u32 %r0, %r0, %r1;"
        " st.param.v2.b32 [result+8], {%r0, %r2}; ret; }\n";
    const auto words = run_everywhere(
        kernel_text("cvt.u64.u32 %rd0, %t; mul.lo.u64 %rd0, %rd0, 0x300000001; cvt.u16.u32 %rs0, %a;"
                    "{ .param .align 8 .b8 p0[16]; st.param.b64 [p0], %rd0; st.param.b8 [p0+8], %rs0;"
                    "st.param.b8 [p0+9], 0xfe; st.param.b16 [p0+10], %rs0; st.param.b32 [p0+12], %a;"
                    ".param .b64 p1; st.param.b64 [p1], 1; .param .align 8 .b8 r0[16];"
                    "call.uni (r0), mix, (p0, p1); ld.param.v2.b64 {%rd1, %rd2}, [r0]; }"
                    "cvt.u32.u64 %r0, %rd1; shr.u64 %rd1, %rd1, 32; cvt.u32.u64 %r1, %rd1; cvt.u32.u64 %r2, %rd2;"
                    "shr.u64 %rd2, %rd2, 32; cvt.u32.u64 %r3, %rd2; mad.lo.u32 %r0, %r1, 100, %r0;"
                    "add.u32 %r2, %r2, %r3; mad.lo.u32 %r0, %r2, 100000, %r0; st.global.u32 [%out], %r0;",
                    mix),
        kTwoWarps, 300);
    for (std::uint32_t t = 0; t < 50; ++t) { CHECK(words[t] == t + 1 + 300 * t + 100000 * (298 + 300)); }
}

TEST_CASE("parameters may be in registers, and the lanes whose guard fails do not call") {
    const std::string add =
        ".func (.reg .b32 sum) add3(.reg .b32 x, .reg .b32 y)\n{ add.u32 sum, x, y; add.u32 sum, "
        "sum, 3; ret; }\n";
    const auto words =
        run_everywhere(kernel_text("setp.lt.u32 %p0, %t, 20; mov.u32 %r0, 0; @%p0 call (%r0), add3, (%t, 7);"
                                   "st.global.u32 [%out], %r0;",
                                   add),
                       kTwoWarps);
    for (std::uint32_t t = 0; t < 50; ++t) { CHECK(words[t] == (t < 20 ? t + 10 : 0)); }
}

TEST_CASE("functions have shared and local variables of their own") {
    const std::string rotate =
        ".func (.param .b32 result) rotate(.param .b32 x)\n{ .shared .align 4 .b8 s[256]; .local .align 4 .b8 l[8];"
        " .reg .b32 %r<6>; mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; mov.u32 %r2, s; add.u32 %r1, %r1, %r2;"
        " ld.param.u32 %r3, [x]; st.local.u32 [l+4], %r3; ld.local.u32 %r3, [l+4]; bar.sync 0;"
        " st.shared.u32 [%r1], %r3; bar.sync 0; xor.b32 %r4, %r1, 4; ld.shared.u32 %r5, [%r4];"
        " st.param.b32 [result], %r5; ret; }\n";
    const auto words = run_everywhere(
        kernel_text(".shared .align 4 .b8 own[64]; mov.u32 %r9, own; and.b32 %r8, %t, 15; shl.b32 %r8, %r8, 2;"
                    "add.u32 %r9, %r9, %r8; st.shared.u32 [%r9], 5;" +
                        call("rotate", "%r0", "%t") + "mul.lo.u32 %r0, %r0, 3;" + call("rotate", "%r1", "%r0") +
                        "ld.shared.u32 %r2, [%r9]; add.u32 %r1, %r1, %r2; st.global.u32 [%out], %r1;",
                    rotate),
        {{1}, {50}});
    for (std::uint32_t t = 0; t < 50; ++t) { CHECK(words[t] == 3 * t + 5); }
}

TEST_CASE("a table of branches goes where the index says") {
    const auto words = run_everywhere(
        kernel_text("and.b32 %r0, %t, 3; mov.u32 %r1, 9; setp.ne.u32 %p0, %t, 5;\nlist: .branchtargets A, B, C, A;\n"
                    "@%p0 brx.idx %r0, list; bra END;\nA: mov.u32 %r1, 100; bra END;\n"
                    "B: mov.u32 %r1, 200; bra END;\nC: mov.u32 %r1, 300;\nEND: st.global.u32 [%out], %r1;"),
        kTwoWarps);
    const std::uint32_t expected[] = {100, 200, 300, 100};
    for (std::uint32_t t = 0; t < 50; ++t) { CHECK(words[t] == (t == 5 ? 9 : expected[t % 4])); }
}

/// fibonacci(x), with a value and a predicate that live across the calls.
const std::string kFibonacci =
    ".func (.param .b32 result) fibonacci(.param .b32 x)\n{ .reg .b32 %r<6>; .reg .pred %p<3>; ld.param.u32 %r0, [x];"
    " setp.lt.u32 %p0, %r0, 2; mov.u32 %r3, %r0; @%p0 bra END; and.b32 %r4, %r0, 1; setp.eq.u32 %p1, %r4, 0;"
    " sub.u32 %r1, %r0, 1;" +
    call("fibonacci", "%r2", "%r1") + "ld.param.u32 %r5, [x]; sub.u32 %r1, %r5, 2;" + call("fibonacci", "%r3", "%r1") +
    "add.u32 %r3, %r3, %r2; @%p1 add.u32 %r3, %r3, 0x10000;\nEND: st.param.b32 [result], %r3; ret; }\n";

/// The reference: adds 0x10000 for every even x from 2 on.
std::uint32_t fibonacci(std::uint32_t x) {
    return x < 2 ? x : fibonacci(x - 1) + fibonacci(x - 2) + (x % 2 == 0 ? 0x10000 : 0);
}

TEST_CASE("a function may call itself, to another depth in each lane") {
    const auto words =
        run_everywhere(kernel_text("and.b32 %r3, %t, 7;" + call("fibonacci", "%r0", "%r3") +
                                       "mul.lo.u32 %r1, %t, 3; and.b32 %r1, %r1, 7;" + call("fibonacci", "%r2", "%r1") +
                                       "sub.u32 %r0, %r0, %r2; st.global.u32 [%out], %r0;",
                                   kFibonacci),
                       kTwoWarps);
    for (std::uint32_t t = 0; t < 50; ++t) { CHECK(words[t] == fibonacci(t % 8) - fibonacci(3 * t % 8)); }
}

TEST_CASE("functions may call each other in turn, some lanes only, and take their parameters in registers") {
    const std::string turns =
        ".func (.reg .b32 n) odd(.reg .b32 x, .reg .b32 y);\n"
        ".func (.reg .b32 n) even(.reg .b32 x, .reg .b32 y)\n{ .reg .pred %p; mov.u32 n, y; setp.ne.u32 %p, x, 0;"
        " add.u32 y, y, 10; @%p sub.u32 x, x, 1; @%p call (n), odd, (y, x); ret; }\n"
        ".func (.reg .b32 n) odd(.reg .b32 x, .reg .b32 y)\n{ .reg .pred %p; mov.u32 n, x; setp.ne.u32 %p, y, 0;"
        " @!%p ret; sub.u32 y, y, 1; call (n), even, (y, x); add.u32 n, n, y; ret; }\n";
    const auto words = run_everywhere(
        kernel_text("and.b32 %r1, %t, 15; call (%r0), even, (%r1, 1); st.global.u32 [%out], %r0;", turns), kTwoWarps);
    for (std::uint32_t t = 0; t < 50; ++t) {
        // even(x, y) = x ? odd(y + 10, x - 1) : y; odd(x, y) = y ? even(y - 1, x) + y - 1 : x
        std::uint32_t x = t % 16, y = 1, sum = 0;
        while (x != 0) {
            y += 10;
            if (--x == 0) { break; }
            sum += --x;
        }
        CHECK(words[t] == sum + y);
    }
}

TEST_CASE("each activation has local variables and structures of its own, and callees may have their addresses") {
    // total(p, n): adds n to *p, then sums all smaller ones into its own variable and adds that to *p.
    const std::string total =
        ".func total(.param .b64 p, .param .align 8 .b8 s[12])\n{ .local .align 8 .b8 own[16]; .reg .b32 %r<6>;"
        " .reg .b64 %rd<4>; .reg .pred %p; .reg .b16 %h; ld.param.u32 %r0, [s+8]; ld.param.u64 %rd0, [p];"
        " mov.u64 %rd1, own; st.local.u32 [own+8], 0; add.u64 %rd1, %rd1, 8; cvta.local.u64 %rd2, %rd1;"
        " ld.u32 %r1, [%rd0]; add.u32 %r1, %r1, %r0; st.u32 [%rd0], %r1; setp.eq.u32 %p, %r0, 0; @%p ret;"
        " cvt.u16.u32 %h, %r0; sub.u32 %r2, %r0, 1; { .param .b64 p0; st.param.b64 [p0], %rd2;"
        " .param .align 8 .b8 p1[12]; st.param.b64 [p1], 5; st.param.b32 [p1+8], %r2; call total, (p0, p1); }"
        " ld.local.u32 %r3, [%rd1]; ld.u32 %r1, [%rd0]; add.u32 %r1, %r1, %r3; cvt.u32.u16 %r4, %h;"
        " ld.param.u32 %r5, [s+8]; sub.u32 %r4, %r4, %r5; add.u32 %r1, %r1, %r4; st.u32 [%rd0], %r1; ret; }\n";
    const auto words = run_everywhere(
        kernel_text(".local .align 8 .b8 sum[8]; st.local.u32 [sum], 100; mov.u64 %rd0, sum; cvta.local.u64 %rd0, %rd0;"
                    "and.b32 %r0, %t, 7; { .param .b64 p0; st.param.b64 [p0], %rd0; .param .align 8 .b8 p1[12];"
                    "st.param.b64 [p1], 5; st.param.b32 [p1+8], %r0; call total, (p0, p1); }"
                    "ld.local.u32 %r1, [sum]; st.global.u32 [%out], %r1;",
                    total),
        kTwoWarps);
    for (std::uint32_t t = 0; t < 50; ++t) { CHECK(words[t] == 100 + t % 8 * (t % 8 + 1) / 2); }
}

TEST_CASE("a recursion without end overruns the stack, which is a fault that says so") {
    const std::string endless =
        ".func (.param .b32 result) again(.param .b32 x)\n{ .reg .b32 %r<3>; ld.param.u32 %r0, [x];" +
        call("again", "%r1", "%r0") + "st.param.b32 [result], %r1; ret; }\n";
    const ptx::Module module = kernel_module(call("again", "%r0", "%t") + "st.global.u32 [%out], %r0;", endless);
    CHECK_THROWS_WITH_AS(emulate(module, {}, kTwoWarps, 0, 64),
                         doctest::Contains("need more stack than the 32768 bytes"), ProgramError);
}

TEST_CASE("functions without a body are refused by name") {
    CHECK_THROWS_WITH_AS(finalise_module(kernel_module(call("away", "%r0", "%t") + "st.global.u32 [%out], %r0;",
                                                       ".extern .func (.param .b32 result) away(.param .b32 x);\n"),
                                         {}),
                         doctest::Contains("away has no body"), InputError);
}

/// Calls the address in %rd2: that of `twice` or `thrice`, plus the parameter.
const std::string kIndirect =
    "mov.u64 %rd0, twice; mov.u64 %rd1, thrice; and.b32 %r0, %t, 2; setp.ne.u32 %p0, %r0, 0;"
    "selp.b64 %rd2, %rd1, %rd0, %p0; cvt.u64.u32 %rd3, %a; add.u64 %rd2, %rd2, %rd3;"
    "{ proto: .callprototype (.param .b32 _) _ (.param .b32 _); .param .b32 p0; st.param.b32 [p0], %t;"
    ".param .b32 r0; call (r0), %rd2, (p0), proto; ld.param.b32 %r1, [r0]; } st.global.u32 [%out], %r1;";
const std::string kThrice =
    ".func (.param .b32 result) thrice(.param .b32 x)\n{ .reg .b32 %r<2>; ld.param.u32 %r0, [x]; mul.lo.u32 %r1, %r0, "
    "3;"
    " st.param.b32 [result], %r1; ret; }\n";
// The same address, but other parameters.
const std::string kOther = ".func other(.param .b64 x)\n{ ret; }\n.global .u64 table[2] = {other, twice};\n";

}  // namespace

TEST_CASE("an indirect call reaches the function whose address it has, lane by lane") {
    const ptx::Module module = kernel_module(kIndirect, kTwice + kThrice + kOther);
    FinaliserOptions options;
    for (const unsigned limit : {63u, 16u}) {
        options.isa.registers = limit;
        const auto words = emulate(module, options, kTwoWarps, 0, 64);
        for (std::uint32_t t = 0; t < 50; ++t) { CHECK(words[t] == t * (t % 4 < 2 ? 2 : 3)); }
    }
}

TEST_CASE("an indirect call may lead to the function that makes it") {
    const std::string descend =
        ".func (.param .b32 result) descend(.param .b32 x)\n{ .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred %p;"
        " ld.param.u32 %r0, [x]; setp.eq.u32 %p, %r0, 0; mov.u32 %r1, 1; @%p bra END; mov.u64 %rd0, descend;"
        " mov.u64 %rd1, twice; and.b32 %r2, %r0, 4; setp.eq.u32 %p, %r2, 0; selp.b64 %rd0, %rd0, %rd1, %p;"
        " sub.u32 %r3, %r0, 1; { proto: .callprototype (.param .b32 _) _ (.param .b32 _); .param .b32 p0;"
        " st.param.b32 [p0], %r3; .param .b32 r0; call (r0), %rd0, (p0), proto; ld.param.b32 %r1, [r0]; }"
        " mad.lo.u32 %r1, %r1, 10, %r0;\nEND: st.param.b32 [result], %r1; ret; }\n";
    const std::string text = kernel_text(
        "and.b32 %r1, %t, 7;" + call("descend", "%r0", "%r1") + "st.global.u32 [%out], %r0;", kTwice + descend);
    const ptx::Module module = ptx::parse_module(text, "test.ptx");
    const std::uint32_t expected[] = {1, 11, 112, 1123, 64, 85, 106, 127};
    for (const unsigned limit : {63u, 16u}) {
        FinaliserOptions options;
        options.isa.registers = limit;
        const auto words = emulate(module, options, kTwoWarps, 0, 64);
        for (std::uint32_t t = 0; t < 50; ++t) { CHECK(words[t] == expected[t % 8]); }
    }
}

TEST_CASE("an indirect call of what is no function of its type is a fault that says so") {
    const ptx::Module module = kernel_module(kIndirect, kTwice + kThrice + kOther);
    for (const std::uint32_t off : {8u, 16u * 1000}) {
        CHECK_THROWS_WITH_AS(emulate(module, {}, kTwoWarps, off, 64), doctest::Contains("an indirect call of 0x4"),
                             ProgramError);
    }
}

TEST_CASE("functions that amount to more than can be inlined are refused, soon") {
    std::string functions = ".func f0() { ret; }\n";
    for (int i = 1; i < 40; ++i) {
        functions += fmt::format(".func f{}() {{ call.uni f{}; call.uni f{}; ret; }}\n", i, i - 1, i - 1);
    }
    CHECK_THROWS_WITH_AS(finalise_module(kernel_module("call.uni f39; st.global.u32 [%out], %t;", functions), {}),
                         doctest::Contains("more than 1048576 instructions"), InputError);
}
