#include <doctest/doctest.h>

#include "components/frontend/finaliser/finalise.h"
#include "core/error/error.h"
#include "tests/components/frontend/finaliser/differential.h"
#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

/// Each thread reads its own word of the parameters by register: two threads the address `out`, one `a`.
const LaunchConfiguration kThreeWords{{1}, {3}};
const std::string kOwnWord = "mul.wide.u32 %rd7, %t, 4; add.s64 %rd1, %rd7, %rd0;";

isa::Kernel kernel(const std::string& body) {
    const ptx::Module module = kernel_module(body);
    return finalise(module, module.functions.back(), {});
}

std::vector<std::uint32_t> own_words(const std::string& body) {
    return run_everywhere(kernel_text(body), kThreeWords, 77, 4);
}

void check_own_words(const std::string& body) {
    const auto words = own_words(body);
    CHECK(words[0] == 0);
    CHECK(words[1] == 0x10);
    CHECK(words[2] == 77);
}

}  // namespace

TEST_CASE("a parameter that a register indexes is read as constant memory, without a copy for each thread") {
    const std::string body = "mov.u64 %rd0, out;" + kOwnWord + "ld.param.u32 %r0, [%rd1]; st.global.u32 [%out], %r0;";
    check_own_words(body);
    const isa::Kernel constant = kernel(body);
    CHECK(constant.addresses_parameters);
    CHECK(constant.local_bytes == 0);
    CHECK(count(constant, "LD.CONST") == 1);
}

TEST_CASE("a generic address of a parameter is followed through sums, choices and calls to a load of constants") {
    const std::string body = "mov.u64 %rd6, out; cvta.param.u64 %rd0, %rd6;" + kOwnWord +
                             "setp.eq.u32 %p0, %t, 9; selp.b64 %rd2, %rd0, %rd1, %p0; ld.u32 %r0, [%rd2];"
                             "st.global.u32 [%out], %r0;";
    check_own_words(body);
    CHECK(count(kernel(body), "LD.CONST") == 1);
    const std::string get =
        ".func (.param .b32 result) get(.param .b64 p)\n{ .reg .b32 %r; .reg .b64 %rd; ld.param.u64 %rd, [p];"
        " ld.u32 %r, [%rd]; st.param.b32 [result], %r; ret; }\n";
    const std::string calls = "mov.u64 %rd6, out; cvta.param.u64 %rd0, %rd6;" + kOwnWord +
                              "{ .param .b64 p0; st.param.b64 [p0], %rd1; .param .b32 r0; call.uni (r0), get, (p0);"
                              " ld.param.b32 %r0, [r0]; } st.global.u32 [%out], %r0;";
    const auto words = run_everywhere(kernel_text(calls, get), kThreeWords, 77, 4);
    CHECK(words[2] == 77);
    const ptx::Module module = kernel_module(calls, get);
    CHECK(count(finalise(module, module.functions.back(), {}), "LD.CONST") == 1);
}

TEST_CASE("an address that may be a parameter's or another's is read as what it is") {
    const std::string body = "mov.u64 %rd6, out; cvta.param.u64 %rd0, %rd6;" + kOwnWord +
                             "st.global.u32 [%out], 5; setp.eq.u32 %p0, %t, 1; selp.b64 %rd2, %out, %rd1, %p0;"
                             "ld.u32 %r0, [%rd2]; st.global.u32 [%out], %r0;";
    const auto words = own_words(body);
    CHECK(words[1] == 5);
    CHECK(words[2] == 77);
    CHECK(kernel(body).local_bytes == 0);
}

TEST_CASE("a load from a known place of a parameter whose address is taken needs no memory") {
    const std::string body =
        "mov.u64 %rd0, out; add.s64 %rd1, %rd0, 8; ld.param.u32 %r0, [%rd1]; ld.param.u64 %rd2, [%rd0];"
        "cvt.u32.u64 %r1, %rd2; setp.eq.u32 %p0, %t, 0; selp.u32 %r0, %r1, %r0, %p0; st.global.u32 [%out], %r0;";
    // [%rd0+8] is outside the parameter `out`: that load goes to memory, the other one does not.
    CHECK(count(kernel(body), "LD.CONST") == 1);
    CHECK_FALSE(kernel("mov.u64 %rd0, a; ld.param.u32 %r0, [%rd0]; st.global.u32 [%out], %r0;").addresses_parameters);
}

TEST_CASE("a parameter that is written through its address, or whose address is stored, has a copy in each thread") {
    const auto written = run_everywhere(
        kernel_text("mov.u64 %rd1, a; cvta.param.u64 %rd0, %rd1; ld.u32 %r0, [%rd0]; add.u32 %r0, %r0, %t;"
                    "st.u32 [%rd0], %r0; ld.u32 %r1, [%rd0]; st.global.u32 [%out], %r1;"),
        kThreeWords, 77, 4, Oracle::none);
    CHECK(written[2] == 79);
    const std::string stored =
        "mov.u64 %rd6, a; cvta.param.u64 %rd0, %rd6; and.b32 %r1, %t, 0; cvt.u64.u32 %rd7, %r1;"
        "add.s64 %rd0, %rd0, %rd7; st.local.u64 [place], %rd0;"
        "ld.local.u64 %rd1, [place]; ld.u32 %r0, [%rd1]; st.global.u32 [%out], %r0;";
    CHECK(own_words(".local .align 8 .b8 place[8]; " + stored)[2] == 77);
    CHECK(kernel(".local .align 8 .b8 place[8]; " + stored).local_bytes == 12);
}

TEST_CASE("a function that takes its own parameter's address has it in local memory") {
    const std::string get =
        ".func (.param .b32 result) get(.param .align 4 .b8 s[12], .param .b32 i)\n{ .reg .b32 %r<3>; .reg .b64 %rd<4>;"
        " mov.b64 %rd0, s; cvta.local.u64 %rd1, %rd0; ld.param.u32 %r0, [i]; cvta.to.local.u64 %rd2, %rd1;"
        " mul.wide.s32 %rd3, %r0, 4; add.s64 %rd3, %rd2, %rd3; ld.local.u32 %r1, [%rd3]; ld.param.u32 %r2, [s+4];"
        " add.u32 %r1, %r1, %r2; st.param.b32 [result], %r1; ret; }\n";
    const auto words = run_everywhere(
        kernel_text(
            "{ .param .align 4 .b8 p0[12]; st.param.b32 [p0], 10; st.param.b32 [p0+4], %a; st.param.b32 [p0+8], 30;"
            " .param .b32 p1; st.param.b32 [p1], %t; .param .b32 r0; call.uni (r0), get, (p0, p1);"
            " ld.param.b32 %r0, [r0]; } st.global.u32 [%out], %r0;",
            get),
        kThreeWords, 77, 4, Oracle::none);
    CHECK(words == std::vector<std::uint32_t>{87, 154, 107, 0});
}

TEST_CASE("an index beyond the parameters is reported as it is for other constants") {
    const ptx::Module module =
        kernel_module("mov.u64 %rd0, out;" + kOwnWord + "ld.param.u32 %r0, [%rd1]; st.global.u32 [%out], %r0;");
    CHECK_NOTHROW(emulate(module, {}, {{1}, {3}}, 0, 3));
    CHECK_THROWS_WITH_AS(emulate(module, {}, {{1}, {4}}, 0, 4),
                         doctest::Contains("load of 4 bytes from constant memory"), ProgramError);
}
