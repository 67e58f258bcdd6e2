#include <doctest/doctest.h>

#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;

namespace {

isa::Kernel in_own_order(const std::string& body) {
    FinaliserOptions options;
    options.schedule = false;
    return kernel_of(body, options);
}

}  // namespace

TEST_CASE("a load goes before arithmetic that does not need it") {
    const std::string body =
        "mul.lo.u32 %r0, %a, 3; add.u32 %r0, %r0, %b; mul.lo.u32 %r0, %r0, %r0; ld.global.u32 %r1, [%out];"
        "add.u32 %r0, %r0, %r1; st.global.u32 [%out], %r0;";
    CHECK(position(kernel_of(body), "LD.GLOBAL") == 0);
    CHECK(position(in_own_order(body), "LD.GLOBAL") == 3);
}

TEST_CASE("loads are all under way before the first one's value is used") {
    const std::string body =
        "ld.global.u32 %r0, [%out]; add.u32 %r1, %r0, 1; ld.global.u32 %r2, [%out+4]; add.u32 %r3, %r2, %r1;"
        "st.global.u32 [%out], %r3;";
    const isa::Kernel kernel = kernel_of(body);
    CHECK(position(kernel, "+0x4]") < position(kernel, "ADD.U32"));
    CHECK(position(in_own_order(body), "+0x4]") > position(in_own_order(body), "ADD.U32"));
}

TEST_CASE("a load stays behind a store that may write its bytes") {
    const isa::Kernel kernel = kernel_of(
        "mul.wide.u32 %rd0, %a, 4; add.s64 %rd1, %out, %rd0; st.global.u32 [%rd1], %b; ld.global.u32 %r0, [%out];"
        "st.global.u32 [%out+4], %r0;");
    CHECK(position(kernel, "LD.GLOBAL") > position(kernel, "ST.GLOBAL"));
}

TEST_CASE("a load passes stores to other bytes from the same base and to another state space") {
    const std::string slow = "mul.lo.u32 %r5, %a, %b; mul.lo.u32 %r5, %r5, %r5;";
    const isa::Kernel other_bytes =
        kernel_of(slow + "st.global.u32 [%out+4], %r5; ld.global.u32 %r0, [%out+8]; st.global.u32 [%out+12], %r0;");
    CHECK(position(other_bytes, "LD.GLOBAL") < position(other_bytes, "+0x4]"));
    const isa::Kernel same_bytes =
        kernel_of(slow + "st.global.u32 [%out+4], %r5; ld.global.u8 %r0, [%out+7]; st.global.u32 [%out+12], %r0;");
    CHECK(position(same_bytes, "LD.GLOBAL") > position(same_bytes, "+0x4]"));
    const isa::Kernel other_space =
        kernel_of(slow + "st.shared.u32 [%a], %r5; ld.global.u32 %r0, [%out+8]; st.global.u32 [%out+12], %r0;");
    CHECK(position(other_space, "LD.GLOBAL") < position(other_space, "ST.SHARED"));
    const isa::Kernel generic =
        kernel_of(slow + "st.shared.u32 [%a], %r5; ld.u32 %r0, [%out+8]; st.global.u32 [%out+12], %r0;");
    CHECK(position(generic, "LD.U32") > position(generic, "ST.SHARED"));
}

TEST_CASE("the same base register with another value in it is another base") {
    const std::string body =
        "mov.u64 %rd0, %out; add.u32 %r5, %a, 1; st.global.u32 [%rd0+4], %r5; add.s64 %rd0, %rd0, 4;"
        "ld.global.u32 %r0, [%rd0]; setp.eq.u32 %p0, %b, 1; @%p0 add.s64 %rd0, %rd0, 4; st.global.u32 [%rd0+8], %r0;";
    CHECK(run(body, 6, 0)[3] == 7);
    CHECK(run(body, 6, 1)[4] == 7);
}

TEST_CASE("memory accesses stay on their side of barriers, fences and volatile accesses") {
    const std::string load = "ld.global.u32 %r0, [%out]; st.global.u32 [%out+4], %r0;";
    const isa::Kernel barrier = kernel_of("add.u32 %r1, %a, 1; st.shared.u32 [%a], %r1; bar.sync 0;" + load);
    CHECK(position(barrier, "BAR") > position(barrier, "ST.SHARED"));
    CHECK(position(barrier, "BAR") < position(barrier, "LD.GLOBAL"));
    const isa::Kernel fence = kernel_of("add.u32 %r1, %a, 1; st.shared.u32 [%a], %r1; membar.gl;" + load);
    CHECK(position(fence, "MEMBAR") > position(fence, "ST.SHARED"));
    CHECK(position(fence, "MEMBAR") < position(fence, "LD.GLOBAL"));
    const isa::Kernel ordered = kernel_of("ld.volatile.shared.u32 %r1, [%a];" + load);
    CHECK(position(ordered, "LD.SHARED") < position(ordered, "LD.GLOBAL"));
}

TEST_CASE("what lanes meet in stays on its side of stores, atomics and barriers, and loads may pass it") {
    const std::string slow = "mul.lo.u32 %r5, %a, %b; mul.lo.u32 %r5, %r5, %r5;";
    const std::string meet = "shfl.sync.bfly.b32 %r0, %a, 1, 31, -1;";
    const std::string keep = "st.global.u32 [%out+4], %r0; st.global.u32 [%out+8], %r1;";
    const isa::Kernel release = kernel_of(slow + "red.global.add.u32 [%out], %r5; mov.u32 %r1, 1;" + meet + keep);
    CHECK(position(release, "SHFL") > position(release, "RED.GLOBAL"));
    const isa::Kernel take =
        kernel_of(slow + "shfl.sync.bfly.b32 %r0, %r5, 1, 31, -1;" + "atom.global.exch.b32 %r1, [%out], 1;" + keep);
    CHECK(position(take, "SHFL") < position(take, "ATOM.GLOBAL"));
    const isa::Kernel barrier =
        kernel_of(slow + "setp.eq.u32 %p0, %r5, 0; bar.red.popc.u32 %r1, 0, %p0;" + meet + keep);
    CHECK(position(barrier, "SHFL") > position(barrier, "BAR"));
    const isa::Kernel load =
        kernel_of(slow + "shfl.sync.bfly.b32 %r0, %r5, 1, 31, -1; ld.global.u32 %r1, [%out+12];" + keep);
    CHECK(position(load, "SHFL") > position(load, "LD.GLOBAL"));
}

TEST_CASE("arithmetic may pass a barrier") {
    const isa::Kernel kernel =
        kernel_of("bar.sync 0; mul.lo.u32 %r0, %a, %b; mul.lo.u32 %r0, %r0, %r0; st.global.u32 [%out], %r0;");
    CHECK(position(kernel, "MUL") < position(kernel, "BAR"));
}

TEST_CASE("nothing moves across the reading of a clock") {
    const isa::Kernel kernel = kernel_of(
        "mov.u32 %r0, %clock; mul.lo.u32 %r1, %a, %b; ld.global.u32 %r2, [%out]; mov.u32 %r3, %clock;"
        "sub.u32 %r3, %r3, %r0; st.global.u32 [%out], %r1; st.global.u32 [%out+4], %r2; st.global.u32 [%out+8], %r3;");
    CHECK(position(kernel, "S2R") == 0);
    CHECK(position(kernel, "SUB") > position(kernel, "LD.GLOBAL"));
    CHECK(position(kernel, "SUB") > position(kernel, "MUL"));
    CHECK(count(kernel, "SR_CLOCK") == 2);
}

TEST_CASE("branches stay at the end of their block") {
    const isa::Kernel kernel = kernel_of(
        "setp.eq.u32 %p0, %a, 0; @%p0 bra L; ld.global.u32 %r0, [%out+4]; st.global.u32 [%out], %r0;\nL:\n"
        "st.global.u32 [%out+8], 1;");
    CHECK(position(kernel, "BRA") == 1);
}

TEST_CASE("hoisting uses the registers that there are and stops at the limit") {
    std::string body;
    for (int i = 0; i < 200; ++i) {
        const std::string offset = std::to_string(4 * i);
        body += "ld.global.u32 %r0, [%out+" + offset + "]; ld.global.u32 %r1, [%out+" + offset +
                "]; mad.lo.u32 %r3, %r0, %r1, %r3;";
    }
    body = "mov.u32 %r3, %a;" + body + "st.global.u32 [%out], %r3;";
    CHECK(in_own_order(body).registers == 3);
    FinaliserOptions options;
    for (unsigned limit : {63U, 32U, 16U, 8U}) {
        options.isa.registers = limit;
        CAPTURE(limit);
        CHECK(kernel_of(body, options).registers <= limit);
        CHECK(kernel_of(body, options).registers > limit / 2);
    }
}
