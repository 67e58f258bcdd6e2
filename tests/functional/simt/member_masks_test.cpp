// Member masks of `*.sync` instructions: the lanes that they may name on a stack, where no lane can wait for another.
#include <doctest/doctest.h>

#include "tests/functional/simt/three_devices.h"

using namespace lookahead;
using namespace lookahead::test;
using isa::SimtModel;

namespace {

/// Instructions with a member mask as their last operand: they read %t and %r1, and write %r3 or %p3.
constexpr const char* kInstructions[] = {
    "shfl.sync.bfly.b32 %r3|%p3, %t, 1, 31, ",
    "vote.sync.ballot.b32 %r3, %p4, ",
    "vote.sync.any.pred %p3, %p4, ",
    "vote.sync.all.pred %p3, %p4, ",
    "vote.sync.uni.pred %p3, %p4, ",
    "match.any.sync.b32 %r3, %r1, ",
    "match.all.sync.b32 %r3|%p3, %r1, ",
    "match.any.sync.b64 %r3, %rd1, ",
    "redux.sync.add.u32 %r3, %t, ",
    "redux.sync.or.b32 %r3, %t, ",
    "bar.warp.sync ",
};

constexpr const char* kBegin = R"(
    mov.u32 %r3, 0;
    and.b32 %r1, %t, 3;
    cvt.u64.u32 %rd1, %r1;
    setp.eq.u32 %p3, %r3, 1;
    setp.ne.u32 %p4, %r1, 2;
    setp.lt.u32 %p0, %t, 10;
)";
constexpr const char* kEnd = R"(
    selp.u32 %r4, 64, 0, %p3;
    add.u32 %r3, %r3, %r4;
    st.global.u32 [%out], %r3;)";

/// Between `before` and `after` the lanes there execute the instruction with `mask`.
Program program_of(const std::string& before, const char* instruction, const std::string& mask,
                   const std::string& after = "") {
    return launched(kOneWarp, 32, kBegin + before + instruction + mask + ";\n" + after + kEnd);
}

/// Lanes 10 to 31 execute it while the others wait for their turn.
Program on_one_path(const char* instruction, const std::string& mask) {
    return program_of("@%p0 bra LOW;\n", instruction, mask, "bra.uni JOIN;\nLOW:\nst.global.u32 [%out], 5;\nJOIN:\n");
}

/// Checks that the program stops on a stack, with the place and the remedy, and that convergence barriers give each
/// thread's own result.
void check_stops(const Program& program, std::string_view executing, std::string_view missing) {
    CAPTURE(program.text);
    check_mentions(ending_of_emulation(program, SimtModel::stack),
                   {"kernel k, CTA (0, 0, 0)", "program.ptx:", "PC 0x", "warp 0", executing, missing,
                    "sm.simt=convergence_barrier"});
    check_mentions(ending_of_simulation(program, SimtModel::stack),
                   {"sm0", "kernel k, CTA (0, 0, 0)", "program.ptx:", "PC 0x", "warp 0", executing, missing,
                    "sm.simt=convergence_barrier"});
    expect_with_convergence_barriers(program, interpret(program));
}

void check_passes(const Program& program) {
    CAPTURE(program.text);
    expect_everywhere(program, interpret(program));
}

TEST_CASE("a member mask may name all lanes where all run together") {
    for (const char* instruction : kInstructions) { check_passes(program_of("", instruction, "-1")); }
}

TEST_CASE("on one side of a branch a member mask may name the lanes of that side") {
    for (const char* instruction : kInstructions) { check_passes(on_one_path(instruction, "0xfffffc00")); }
}

TEST_CASE("on a stack a member mask that names a lane of the other side of a branch ends the run") {
    for (const char* instruction : kInstructions) {
        check_stops(on_one_path(instruction, "-1"), "0xfffffc00", "0x000003ff");
        check_stops(on_one_path(instruction, "0xfffffc04"), "0xfffffc00", "0x00000004");
    }
}

TEST_CASE("a member mask may name lanes that have exited, or that wait for nothing but their exit") {
    for (const char* instruction : kInstructions) {
        check_passes(program_of("@%p0 exit;\n", instruction, "-1"));
        check_passes(
            launched(kOneWarp, 32, kBegin + std::string("@%p0 bra END;\n") + instruction + "-1;\n" + kEnd + "\nEND:"));
    }
}

TEST_CASE("on a stack lanes that have something left to do before their exit are missed") {
    for (const char* instruction : kInstructions) {
        check_stops(launched(kOneWarp, 32,
                             kBegin + std::string("@%p0 bra LAST;\n") + instruction + "-1;\n" + kEnd +
                                 "\nret;\nLAST:\nst.global.u32 [%out], 7;"),
                    "0xfffffc00", "0x000003ff");
    }
}

TEST_CASE("on a stack a guard that leaves named lanes out is like a branch round the instruction") {
    for (const char* instruction : kInstructions) {
        check_passes(program_of("@%p0 ", instruction, "0x3ff"));
        check_stops(program_of("@%p0 ", instruction, "-1"), "0x000003ff", "0xfffffc00");
        check_passes(program_of("setp.gt.u32 %p0, %t, 99;\n@%p0 ", instruction, "-1"));
    }
}

TEST_CASE("on a stack lanes may have masks of their own, each of lanes that run") {
    const std::string quads = "and.b32 %r5, %t, 28;\nshl.b32 %r6, 15, %r5;\n";
    const std::string pairs = "and.b32 %r5, %t, 30;\nshl.b32 %r6, 3, %r5;\n";
    for (const char* instruction : {kInstructions[0], kInstructions[1], kInstructions[5], kInstructions[8]}) {
        check_passes(on_one_path((pairs + instruction).c_str(), "%r6"));
        // Lanes 10 and 11 name 8 and 9, which are on the other path.
        check_stops(on_one_path((quads + instruction).c_str(), "%r6"), "0xfffffc00", "0x00000300");
    }
}

TEST_CASE("on a stack paths that may reach a trap meet at their exit only, and may not name each other before") {
    const char* diverge = R"(
    setp.eq.u32 %p1, %t, 0;
    setp.eq.u32 %p2, %t, 99;
    @%p1 bra ZERO;
    @%p2 bra BAD;
    bra ON;
ZERO:
    @%p2 bra BAD;
ON:
)";
    const Program shuffle = launched(kOneWarp, 32, diverge + std::string(R"(
    shfl.sync.down.b32 %r3|%p3, %t, 1, 31, -1;
    add.u32 %r2, %t, 1;
    min.u32 %r2, %r2, 31;
    setp.ne.u32 %p5, %r3, %r2;
    @%p5 bra BAD;
    st.global.u32 [%out], %r3;
    ret;
BAD:
    trap;)"));
    const Program ballot = launched(kOneWarp, 32, diverge + std::string(R"(
    vote.sync.ballot.b32 %r3, %p2, -1;
    setp.ne.u32 %p5, %r3, 0;
    @%p5 bra BAD;
    not.b32 %r3, %r3;
    st.global.u32 [%out], %r3;
    ret;
BAD:
    trap;)"));
    check_stops(shuffle, "0xfffffffe", "0x00000001");
    check_stops(ballot, "0xfffffffe", "0x00000001");
}

/// A warp waits for a load in the branch; meanwhile an extension executes the shuffle after it.
Program behind_a_load(const char* mask) {
    Program program = launched({{4}, {32}}, 128,
                               R"(
    mov.u32 %r3, 0;
    setp.lt.u32 %p0, %t, 10;
    ld.global.u32 %r0, [%out];
    @%p0 bra LOW;
    add.u32 %r1, %r0, 1;
    add.u32 %r2, %t, 7;
    shfl.sync.bfly.b32 %r3, %r2, 1, 31, )" +
                                   std::string(mask) + R"(;
    add.u32 %r3, %r3, %r1;
    bra.uni JOIN;
LOW:
    add.u32 %r3, %r0, 2;
    st.global.u32 [%out], 5;
JOIN:
    st.global.u32 [%out], %r3;)");
    program.options = {"sm.issue_extension=pmode", "pmode.check=true"};
    return program;
}

}  // namespace

TEST_CASE("on a stack a result that P-mode has made ahead is taken only where all whom the mask names are there") {
    const Program right = behind_a_load("0xfffffc00");
    const Program wrong = behind_a_load("-1");
    const Ending ending = ending_of_simulation(right, SimtModel::stack);
    CHECK_MESSAGE(ending.code == ExitCode::done, ending.message);
    CHECK(simulate(right, SimtModel::stack) == interpret(right));
    check_mentions(ending_of_simulation(wrong, SimtModel::stack), {"cycle", "warp 0", "sm.simt=convergence_barrier"});
    CHECK(simulate(wrong, SimtModel::convergence_barrier) == interpret(wrong));
}
