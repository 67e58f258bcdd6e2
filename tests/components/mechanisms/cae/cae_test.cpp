// The rules of compact affine execution, from both sides, on a machine of one SM. The affine units' results are
// compared with the lanes' values.
#include <doctest/doctest.h>

#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "tests/components/mechanisms/dac/machine_bench.h"
#include "tests/functional/dac/bench.h"
#include "tests/support/restored_copies.h"

namespace lookahead::cae::test {
namespace {

using dac::test::kernel_text;
using dac::test::MachineRun;

/// Runs the kernel and checks its results.
MachineRun good(const std::string& body, isa::Dim3 block = {64, 1, 1}, const std::vector<std::string>& options = {},
                const std::string& extension = "cae") {
    return dac::test::run_rightly(kernel_text(body), {1, 1, 1}, block, {3, 2}, options, extension, "none");
}

/// The number of the body's instructions that the affine units execute; the body sets %r1.
std::uint64_t affine(const std::string& body, isa::Dim3 block = {64, 1, 1}) {
    return good(body + " st.global.u32 [%mine], %r1;", block).cae.instructions;
}
const std::string kTid = "mov.u32 %r2, %tid.x; ";

TEST_CASE("an affine unit adds tuples and multiplies them by scalars, and has scalars alone for the rest") {
    struct Pair {
        const char *takes, *leaves;
    };
    // Both bodies have the same number of instructions and differ in the last one. Two warps.
    for (const Pair& pair :
         {Pair{"add.u32 %r1, %r2, %a;", "xor.b32 %r1, %r2, %a;"}, Pair{"sub.u32 %r1, %a, %r2;", "or.b32 %r1, %a, %r2;"},
          Pair{"mul.lo.u32 %r1, %r2, %a;", "mul.lo.u32 %r1, %r2, %r2;"},
          Pair{"mad.lo.u32 %r1, %r2, %a, %r2;", "mad.lo.u32 %r1, %r2, %r2, %a;"},
          Pair{"shl.b32 %r1, %r2, %a;", "shl.b32 %r1, %a, %r2;"}, Pair{"xor.b32 %r1, %a, %b;", "xor.b32 %r1, %r2, %b;"},
          Pair{"shr.u32 %r1, %a, %b;", "shr.u32 %r1, %r2, %b;"}, Pair{"sub.u32 %r1, %a, %b;", "min.u32 %r1, %a, %b;"},
          Pair{"neg.s32 %r1, %r2;", "not.b32 %r1, %r2;"}}) {
        CAPTURE(pair.takes);
        const std::uint64_t takes = affine(kTid + pair.takes + " add.u32 %r1, %r1, %r2;");
        const std::uint64_t leaves = affine(kTid + pair.leaves + " add.u32 %r1, %r1, %r2;");
        // So does the sum of a tuple; min leaves no mark, although its value is a tuple.
        CHECK(takes == leaves + 4);
    }
}

TEST_CASE("what comes from memory is no tuple, even if it is") {
    const std::string sum = " add.u32 %r1, %r3, 1;";
    CHECK(affine(kTid + "add.u32 %r3, %r2, %a;" + sum) ==
          affine(kTid + "add.u32 %r3, %r2, %a; st.global.u32 [%mine+4], %r3; ld.global.u32 %r3, [%mine+4];" + sum) + 2);
}

TEST_CASE("scalars are told apart from tuples with an offset") {
    const MachineRun run = good("add.u32 %r1, %a, %b; add.u32 %r1, %r1, %a; st.global.u32 [%mine], %r1;");
    const MachineRun other = good(kTid + "add.u32 %r1, %a, %r2; add.u32 %r1, %r1, %a; st.global.u32 [%mine], %r1;");
    CHECK(run.cae.of_scalars == other.cae.of_scalars + 4);
}

TEST_CASE("a tuple that wraps around is none where it is extended") {
    const auto wide = [](const char* factor) {
        return good(kTid + "mul.lo.u32 %r3, %r2, " + factor +
                    "; mul.wide.u32 %rd1, %r3, 4; st.global.u64 [%mine], %rd1;")
            .cae.instructions;
    };
    CHECK(wide("5") == wide("0x20000000") + 2);
    // Signed: from 43 times 3 * 2^24 on, within the second warp.
    const auto narrow = [](const char* factor) {
        return good(kTid + "mul.lo.u32 %r3, %r2, " + factor + "; cvt.s64.s32 %rd1, %r3; st.global.u64 [%mine], %rd1;")
            .cae.instructions;
    };
    CHECK(narrow("0x01ffffff") == narrow("0x03000000") + 1);
}

TEST_CASE("nothing is affine for some of a warp's threads") {
    const auto run = [](const char* bound) {
        return good(kTid + "setp.lt.u32 %p1, %r2, " + bound +
                    "; @!%p1 bra N; add.u32 %r1, %r2, %a; st.global.u32 [%mine], %r1; N: st.global.u32 [%mine+4], %a;");
    };
    const MachineRun whole = run("32"), part = run("31");
    CHECK(whole.cae.instructions == part.cae.instructions + 1);
    CHECK(whole.cae.divergent == 0);
    CHECK(part.cae.divergent == 1);
}

TEST_CASE("threads that have ended are missed by nobody") {
    const auto run = [](const char* bound) {
        return good(kTid + "setp.ge.u32 %p1, %r2, " + bound +
                    "; @%p1 exit; add.u32 %r1, %r2, %a; st.global.u32 [%mine], %r1;");
    };
    CHECK(run("40").cae.instructions == run("64").cae.instructions);
    CHECK(run("32").cae.instructions == run("64").cae.instructions - 1);
}

TEST_CASE("a tuple of which some threads are written is expanded on the lanes before, which takes the issue slot") {
    const auto run = [](const char* bound) {
        return good(kTid + "add.u32 %r1, %r2, %b; setp.lt.u32 %p1, %r2, " + bound +
                    "; @%p1 xor.b32 %r1, %r2, %a; st.global.u32 [%mine], %r1;");
    };
    const MachineRun whole = run("32"), part = run("31");
    CHECK(whole.cae.expansions == 0);
    CHECK(whole.slot_held == 0);
    CHECK(part.cae.expansions == 1);
    CHECK(part.slot_held == 1);
}

TEST_CASE("in blocks narrower than a warp scalars alone are left") {
    const std::string sum = kTid + "add.u32 %r1, %r2, %a; st.global.u32 [%mine], %r1;";
    const std::string scalars = "add.u32 %r1, %b, %a; st.global.u32 [%mine], %r1;";
    const auto more = [&](isa::Dim3 block) {
        return good(sum, block).cae.instructions - good(scalars, block).cae.instructions;
    };
    CHECK(more({64, 1, 1}) == 2);  // the thread's number; the sums are both affine
    CHECK(more({32, 2, 1}) == 2);
    CHECK(more({16, 4, 1}) == static_cast<std::uint64_t>(-2));  // neither number nor sum
}

TEST_CASE("an instruction of an affine unit issues in one cycle, any other in sm.issue_interval") {
    const std::string body = kTid + "add.u32 %r1, %r2, %a; xor.b32 %r1, %r1, %r2; st.global.u32 [%mine], %r1;";
    const std::vector<std::string> two{"sm.issue_interval=2"};
    const MachineRun none = good(body, {64, 1, 1}, two, "none");
    const MachineRun cae = good(body, {64, 1, 1}, two);
    CHECK(cae.warp_instructions == none.warp_instructions);
    CHECK(none.slot_held == none.warp_instructions);
    CHECK(cae.slot_held == cae.warp_instructions - cae.cae.instructions);
    CHECK(cae.cycles <= none.cycles);
}

TEST_CASE("an affine unit waits for no SP unit") {
    // 16 warps' 12 sums over one unit that takes one every 8 cycles.
    std::string body = kTid + "mov.u32 %r1, %r2; mov.u32 %r40, 0; L: ";
    for (int i = 0; i < 12; ++i) { body += "add.u32 %r1, %r1, %a; "; }
    body += "add.u32 %r40, %r40, 1; setp.lt.u32 %p9, %r40, 20; @%p9 bra L; st.global.u32 [%mine], %r1;";
    const std::vector<std::string> slow{"sm.sp_units=1", "sm.timing.integer_initiation=8"};
    const Cycle lanes = good(body, {512, 1, 1}, slow, "none").cycles;
    CHECK(lanes > 16 * 12 * 20 * 8);
    CHECK(good(body, {512, 1, 1}, slow).cycles < lanes / 3);
}

TEST_CASE("the latency of what an affine unit does is the lanes'") {
    // One warp's chain of sums, whose banks no other warp uses.
    std::string body = kTid + "mov.u32 %r1, %r2; ";
    for (int i = 0; i < 20; ++i) { body += "add.u32 %r1, %r1, %a; "; }
    body += "st.global.u32 [%mine], %r1;";
    for (const char* collectors : {"true", "false"}) {
        const std::vector<std::string> options{std::string("sm.operand_collectors=") + collectors};
        CHECK(good(body, {32, 1, 1}, options).cycles == good(body, {32, 1, 1}, options, "none").cycles);
    }
}

isa::Kernel mixed() {
    const std::string text = kernel_text(
        "mov.u32 %r1, %tid.x; mov.u32 %r9, 0; mov.u32 %r40, 0;\n"
        "L: shl.b32 %r2, %gid, 2; cvt.u64.u32 %rd1, %r2; add.s64 %rd1, %out, %rd1; ld.global.u32 %r3, [%rd1];\n"
        "add.u32 %r9, %r9, %r3; setp.lt.u32 %p1, %r1, 40; @%p1 bra N; mad.lo.u32 %r9, %r40, %a, %r9;\n"
        "N: bar.sync 0; add.u32 %r40, %r40, 1; setp.lt.u32 %p9, %r40, %b; @%p9 bra L; st.global.u32 [%rd1+8192], %r9;");
    const ptx::Module module = ptx::parse_module(text, "test.ptx");
    return finaliser::finalise(module, module.functions[0], {});
}

struct Bench : lookahead::test::LaunchedSm {
    Bench() : LaunchedSm(mixed(), "[sm]\nissue_extension = \"cae\"\nissue_interval = 2\n[cae]\ncheck = true\n") {}
};

TEST_CASE("an SM with affine units goes on from a copy in the middle as if nothing had been") {
    lookahead::test::require_that_copies_go_on<Bench>(17);
}

}  // namespace
}  // namespace lookahead::cae::test
