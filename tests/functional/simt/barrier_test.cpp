// CTA barriers with numbers, counts and reductions, on the emulator and the timing model.
#include <doctest/doctest.h>

#include <numeric>

#include "tests/functional/simt/three_devices.h"

using namespace lookahead;
using namespace lookahead::test;
using isa::SimtModel;

namespace {

void expect_deadlock(const Program& program, std::initializer_list<std::string_view> words) {
    for (const SimtModel simt : kModels) {
        check_mentions(ending_of_emulation(program, simt), words);
        check_mentions(ending_of_simulation(program, simt), words);
    }
}

/// Warps 0 and 1 produce, 2 and 3 consume, over 20 rounds with a buffer of one item per thread. Barrier 1: full, 2:
/// empty. Without the barriers the consumers would read items of other rounds.
std::string producers_and_consumers(const std::string& full, const std::string& empty, const std::string& setup = "") {
    return kernel(setup + R"(
    mov.u32 %r0, buffer;
    and.b32 %r1, %t, 63;
    shl.b32 %r1, %r1, 2;
    add.u32 %r1, %r0, %r1;
    mov.u32 %r2, 0;
    mov.u32 %r3, 0;
    setp.ge.u32 %p0, %t, 64;
    @%p0 bra CONSUMER;
PRODUCER:
    mad.lo.u32 %r4, %r2, 64, %t;
    xor.b32 %r5, %r1, 4;
    st.shared.u32 [%r1], %r4;
    bar.arrive )" + full +
                      R"(, 128;
    bar.sync )" + empty +
                      R"(, 128;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 20;
    @%p1 bra PRODUCER;
    bra.uni DONE;
CONSUMER:
    bar.sync )" + full +
                      R"(, 128;
    ld.shared.u32 %r4, [%r1];
    mad.lo.u32 %r3, %r3, 3, %r4;
    bar.arrive )" + empty +
                      R"(, 128;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 20;
    @%p1 bra CONSUMER;
DONE:
    st.global.u32 [%out], %r3;)",
                  ".shared .align 4 .b8 buffer[256];");
}

std::vector<std::uint32_t> consumed(unsigned ctas) {
    std::vector<std::uint32_t> expected(128 * ctas);
    for (std::uint32_t i = 0; i < expected.size(); ++i) {
        for (std::uint32_t round = 0; round < 20 && i % 128 >= 64; ++round) {
            expected[i] = expected[i] * 3 + round * 64 + i % 64;
        }
    }
    return expected;
}

}  // namespace

TEST_CASE("producer and consumer warps take turns by bar.arrive and bar.sync with counts") {
    expect_everywhere({producers_and_consumers("1", "2"), {{2}, {128}}, 0, 256}, consumed(2));
}

TEST_CASE("barriers may be named by registers") {
    expect_everywhere({producers_and_consumers("%r20", "%r21", "add.u32 %r20, %a, 14;\nadd.u32 %r21, %a, 3;\n"),
                       {{1}, {128}},
                       1,
                       128},
                      consumed(1));
}

TEST_CASE("pairs of warps meet at barriers of their own while others run ahead") {
    // Pair p: its warps exchange sums at barrier p + 1; pair 0 makes more rounds than pair 1.
    const Program program = launched({{1}, {128}}, 128, R"(
    shr.u32 %r0, %t, 6;
    add.u32 %r1, %r0, 1;
    mov.u32 %r9, buffer;
    shl.b32 %r2, %t, 2;
    add.u32 %r3, %r9, %r2;
    xor.b32 %r4, %r2, 128;
    add.u32 %r4, %r9, %r4;
    mov.u32 %r5, %t;
    mov.u32 %r6, 0;
    sub.u32 %r7, 9, %r0;
LOOP:
    st.shared.u32 [%r3], %r5;
    barrier.sync.aligned %r1, 64;
    ld.shared.u32 %r8, [%r4];
    barrier.sync %r1, 64;
    mad.lo.u32 %r5, %r5, 2, %r8;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p0, %r6, %r7;
    @%p0 bra LOOP;
    st.global.u32 [%out], %r5;)",
                                     ".shared .align 4 .b8 buffer[512];");
    std::vector<std::uint32_t> values(128), expected(128);
    std::iota(values.begin(), values.end(), 0u);
    for (unsigned round = 0; round < 9; ++round) {
        std::vector<std::uint32_t> next = values;
        for (unsigned t = 0; t < 128; ++t) {
            if (round < 9 - t / 64) { next[t] = values[t] * 2 + values[t ^ 32]; }
        }
        values = next;
    }
    expect_everywhere(program, values);
}

TEST_CASE("bar.red counts, ands and ors the predicates of all threads, a last warp that is not full included") {
    const Program program = launched({{2}, {80}}, 160, R"(
    and.b32 %r0, %t, 3;
    setp.eq.u32 %p0, %r0, 0;
    setp.lt.u32 %p1, %t, 1000;
    setp.eq.u32 %p2, %t, 70;
    bar.red.popc.u32 %r1, 0, %p0;
    bar.red.and.pred %p3, 0, %p1;
    bar.red.or.pred %p4, 3, %p2;
    barrier.red.popc.aligned.u32 %r2, 2, 96, !%p0;
    barrier.red.and.pred %p5, 15, %p0;
    barrier.cta.red.or.pred %p6, 4, !%p1;
    selp.u32 %r3, 1, 0, %p3;
    selp.u32 %r4, 2, 0, %p4;
    selp.u32 %r5, 4, 0, %p5;
    selp.u32 %r6, 8, 0, %p6;
    add.u32 %r3, %r3, %r4;
    add.u32 %r3, %r3, %r5;
    add.u32 %r3, %r3, %r6;
    mad.lo.u32 %r1, %r1, 1000, %r2;
    mad.lo.u32 %r1, %r1, 16, %r3;
    st.global.u32 [%out], %r1;)");
    expect_everywhere(program, std::vector<std::uint32_t>(160, (20 * 1000 + 60) * 16 + 3));
    CHECK(interpret(program) == std::vector<std::uint32_t>(160, (20 * 1000 + 60) * 16 + 3));
}

TEST_CASE("lanes of a warp may come to a barrier by different paths with convergence barriers") {
    const Program program = launched({{1}, {64}}, 64, R"(
    mov.u32 %r0, buffer;
    shl.b32 %r1, %t, 2;
    add.u32 %r2, %r0, %r1;
    xor.b32 %r3, %r1, 252;
    add.u32 %r3, %r0, %r3;
    and.b32 %r4, %t, 1;
    setp.ne.u32 %p0, %r4, 0;
    @%p0 bra ODD;
    st.shared.u32 [%r2], %t;
    barrier.red.popc.u32 %r5, 0, %p0;
    bra.uni JOIN;
ODD:
    add.u32 %r6, %t, 500;
    st.shared.u32 [%r2], %r6;
    setp.gt.u32 %p1, %t, 40;
    barrier.red.popc.u32 %r5, 0, %p1;
JOIN:
    ld.shared.u32 %r7, [%r3];
    mad.lo.u32 %r7, %r5, 1000, %r7;
    st.global.u32 [%out], %r7;)",
                                     ".shared .align 4 .b8 buffer[256];");
    std::vector<std::uint32_t> expected(64);
    for (unsigned t = 0; t < 64; ++t) {
        const unsigned from = t ^ 63;
        expected[t] = 12 * 1000 + (from % 2 == 0 ? from : from + 500);
    }
    expect_with_convergence_barriers(program, expected);
}

TEST_CASE("a barrier that too few warps come to is reported with its number and counts") {
    expect_deadlock(launched({{1}, {64}}, 1, "bar.sync 5, 128;"), {"deadlock", "barrier 5", "2 of 4 warps"});
    expect_deadlock(launched({{1}, {64}}, 1,
                             "setp.lt.u32 %p0, %t, 32;\n@%p0 bra ONE;\nbar.sync 2;\nONE:\n@!%p0 bra DONE;\nbar.sync "
                             "3;\nDONE:"),
                    {"deadlock", "barrier 2", "barrier 3", "1 of 2 warps"});
}

TEST_CASE("a barrier's warps must give one count, which is whole warps") {
    expect_deadlock(launched({{1}, {128}}, 1,
                             "mov.u32 %r0, 128;\nsetp.lt.u32 %p0, %t, 32;\n@%p0 mov.u32 %r0, 96;\nbar.sync 1, %r0;"),
                    {"barrier 1", "96", "128"});
    expect_deadlock(launched({{1}, {96}}, 1, "add.u32 %r0, %a, 33;\nbar.sync 1, %r0;"), {"33", "multiple of 32"});
    expect_deadlock(launched({{1}, {96}}, 1, "add.u32 %r0, %a, 16;\nbar.sync %r0;"), {"barrier 16", "0 to 15"});
}
