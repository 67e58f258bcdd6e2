// Programs with lanes on separate paths: some run under both models, some not on a stack, and some under neither.
#include <doctest/doctest.h>

#include "tests/functional/simt/three_devices.h"

using namespace lookahead;
using namespace lookahead::test;
using isa::SimtModel;

namespace {

std::vector<std::uint32_t> of_lanes(unsigned count, auto value) {
    std::vector<std::uint32_t> result(count);
    for (unsigned lane = 0; lane < count; ++lane) { result[lane] = static_cast<std::uint32_t>(value(lane)); }
    return result;
}

/// One lane at a time enters; the others try again, and all meet after the loop.
const std::string kSpinLock = R"(
    shl.b32 %r2, %a, 0;
TRY:
    atom.global.cas.b32 %r0, [%base], 0, 1;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra TRY;
    ld.volatile.global.u32 %r1, [%base+4];
    add.u32 %r1, %r1, 1;
    st.volatile.global.u32 [%base+4], %r1;
    membar.gl;
    atom.global.exch.b32 %r0, [%base], 0;
)";

TEST_CASE("a full-mask shuffle on both sides of a branch reads lanes of the other side") {
    // Odd lanes shuffle %r1 and even lanes %r2, at different places.
    const Program program = launched(kOneWarp, 32, R"(
    and.b32 %r0, %t, 1;
    setp.ne.u32 %p0, %r0, 0;
    mad.lo.u32 %r1, %t, 3, 100;
    mad.lo.u32 %r2, %t, 5, 1000;
    @%p0 bra ODD;
    add.u32 %r2, %r2, 1;
    shfl.sync.bfly.b32 %r3|%p1, %r2, 1, 31, -1;
    add.u32 %r3, %r3, 7;
    bra.uni JOIN;
ODD:
    shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;
    shl.b32 %r3, %r4, 1;
JOIN:
    st.global.u32 [%out], %r3;)");
    expect_with_convergence_barriers(program, of_lanes(32, [](unsigned lane) {
                                         const unsigned other = lane ^ 1;
                                         return lane % 2 == 0 ? 3 * other + 100 + 7 : 2 * (5 * other + 1001);
                                     }));
}

TEST_CASE("votes, matches and sums on the sides of a branch are of all the lanes that the mask names") {
    const Program program = launched(kOneWarp, 128, R"(
    setp.lt.u32 %p0, %t, 10;
    setp.lt.u32 %p1, %t, 20;
    and.b32 %r5, %t, 3;
    @%p0 bra LOW;
    vote.sync.ballot.b32 %r0, %p1, -1;
    match.any.sync.b32 %r1, %r5, -1;
    redux.sync.add.u32 %r2, %t, -1;
    vote.sync.all.pred %p2, %p1, -1;
    bra.uni JOIN;
LOW:
    vote.sync.ballot.b32 %r0, %p1, -1;
    add.u32 %r6, %r5, 0;
    match.any.sync.b32 %r1, %r6, -1;
    mul.lo.u32 %r7, %t, 1;
    redux.sync.add.u32 %r2, %r7, -1;
    vote.sync.all.pred %p2, %p0, -1;
JOIN:
    selp.u32 %r3, 1, 0, %p2;
    st.global.u32 [%out], %r0;
    st.global.u32 [%out+128], %r1;
    st.global.u32 [%out+256], %r2;
    st.global.u32 [%out+384], %r3;)");
    expect_with_convergence_barriers(program, of_lanes(128, [](unsigned i) -> std::uint32_t {
                                         if (i < 32) { return 0xfffff; }
                                         if (i < 64) { return 0x11111111u << (i % 4); }
                                         return i < 96 ? 496 : 0;
                                     }));
}

TEST_CASE("votes and sums of one side of a branch are of its lanes, and shuffles read what other lanes hold") {
    const Program program = launched(kOneWarp, 128, R"(
    setp.lt.u32 %p0, %t, 10;
    setp.lt.u32 %p1, %t, 20;
    mad.lo.u32 %r4, %t, 3, 100;
    @%p0 bra LOW;
    vote.sync.ballot.b32 %r0, %p1, 0xfffffc00;
    redux.sync.add.u32 %r2, %t, 0xfffffc00;
    shfl.sync.bfly.b32 %r3, %r4, 31, 31, 0xfffffc00;
    bra.uni JOIN;
LOW:
    vote.sync.ballot.b32 %r0, %p1, 0x3ff;
    redux.sync.add.u32 %r2, %t, 0x3ff;
    shfl.sync.bfly.b32 %r3, %r4, 31, 31, 0x3ff;
JOIN:
    st.global.u32 [%out], %r0;
    st.global.u32 [%out+128], %r2;
    st.global.u32 [%out+256], %r3;
    st.global.u32 [%out+384], %r4;)");
    expect_everywhere(program, of_lanes(128, [=](unsigned i) -> std::uint32_t {
                          const unsigned lane = i % 32;
                          if (i < 32) { return lane < 10 ? 0x3ff : 0xffc00; }
                          if (i < 64) { return lane < 10 ? 45 : 496 - 45; }
                          return 3 * (i < 96 ? 31 - lane : lane) + 100;
                      }));
}

TEST_CASE("lanes whose masks differ meet those of their own mask only") {
    // Quads sum up among themselves; a quad's lanes arrive on different paths.
    const Program program = launched(kOneWarp, 32, R"(
    and.b32 %r0, %t, 28;
    shl.b32 %r1, 15, %r0;
    and.b32 %r2, %t, 1;
    setp.ne.u32 %p0, %r2, 0;
    @%p0 bra ODD;
    redux.sync.add.u32 %r3, %t, %r1;
    bra.uni JOIN;
ODD:
    redux.sync.add.u32 %r3, %t, %r1;
JOIN:
    st.global.u32 [%out], %r3;)");
    expect_with_convergence_barriers(program, of_lanes(32, [](unsigned lane) { return (lane & ~3u) * 4 + 6; }));
}

TEST_CASE("lanes that have ended are not waited for") {
    const Program program = launched(kOneWarp, 32, R"(
    setp.ge.u32 %p0, %t, 24;
    @%p0 exit;
    setp.ge.u32 %p1, %t, 8;
    @%p1 bra HIGH;
    redux.sync.add.u32 %r0, 1, -1;
    bra.uni JOIN;
HIGH:
    setp.ge.u32 %p2, %t, 16;
    @%p2 exit;
    redux.sync.add.u32 %r0, 1, -1;
JOIN:
    st.global.u32 [%out], %r0;)");
    expect_with_convergence_barriers(program, of_lanes(32, [](unsigned lane) { return lane < 16 ? 16 : 0; }));
}

TEST_CASE("bar.warp.sync lets lanes of two paths see each other's stores") {
    const Program program = launched(kOneWarp, 32, R"(
    mov.u32 %r0, buffer;
    shl.b32 %r1, %t, 2;
    add.u32 %r2, %r0, %r1;
    xor.b32 %r3, %r1, 124;
    add.u32 %r3, %r0, %r3;
    setp.lt.u32 %p0, %t, 16;
    @%p0 bra LOW;
    add.u32 %r4, %t, 1000;
    st.shared.u32 [%r2], %r4;
    bar.warp.sync -1;
    ld.shared.u32 %r5, [%r3];
    bra.uni JOIN;
LOW:
    st.shared.u32 [%r2], %t;
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r5, [%r3];
JOIN:
    st.global.u32 [%out], %r5;)",
                                     ".shared .align 4 .b8 buffer[128];");
    expect_with_convergence_barriers(program,
                                     of_lanes(32, [](unsigned lane) { return lane < 16 ? 1031 - lane : 31 - lane; }));
}

TEST_CASE("a spin lock among the lanes of a warp lets every lane in") {
    const Program program = launched({{2}, {48}}, 2, kSpinLock);
    expect_with_convergence_barriers(program, {0, 96});
}

TEST_CASE("a spin lock among the lanes of a warp is reported as a livelock of the stack") {
    const Program program = launched(kOneWarp, 2, kSpinLock);
    check_mentions(ending_of_emulation(program, SimtModel::stack),
                   {"livelock", "kernel k, CTA (0, 0, 0)", "program.ptx:", "convergence_barrier"});
    check_mentions(ending_of_simulation(program, SimtModel::stack, {"sm.spin_limit=2000"}),
                   {"livelock", "warp 0", "program.ptx:", "convergence_barrier", "sm0"});
}

TEST_CASE("a consumer lane that polls gets what producer lanes of its warp store, whichever side runs first") {
    for (const char* guard : {"@%p0", "@!%p0"}) {
        const Program program{kernel(std::string(R"(
    setp.eq.u32 %p0, %t, 3;
    )") + guard + R"( bra OTHER;
    @%p0 bra CONSUME;
    bra.uni PRODUCE;
OTHER:
    @%p0 bra CONSUME;
PRODUCE:
    mad.lo.u32 %r0, %t, 2, 5;
    st.volatile.global.u32 [%out+128], %r0;
    membar.cta;
    atom.global.add.u32 %r1, [%base+256], 1;
    bra.uni JOIN;
CONSUME:
    ld.volatile.global.u32 %r1, [%base+256];
    setp.lt.u32 %p1, %r1, 31;
    @%p1 bra CONSUME;
    ld.volatile.global.u32 %r2, [%base+248];
    st.global.u32 [%out], %r2;
JOIN:)"),
                              kOneWarp, 0, 3};
        // The words beyond the three are read through the others' addresses: [3] is stored into word 3 of another
        // launch.
        Program wide = program;
        wide.words = 65;
        const std::vector<std::uint32_t> result = emulate(wide, SimtModel::convergence_barrier);
        CHECK(result[3] == 2 * 30 + 5);
        CHECK(result[64] == 31);
        CHECK(simulate(wide, SimtModel::convergence_barrier) == result);
    }
}

TEST_CASE("lanes hand values round a ring by flags, every lane waiting for the one before") {
    const Program program = launched(kOneWarp, 32, R"(
    setp.eq.u32 %p0, %t, 0;
    mov.u32 %r1, 1;
    @%p0 bra SEND;
WAIT:
    ld.volatile.global.u32 %r1, [%out+-4];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra WAIT;
    add.u32 %r1, %r1, %t;
SEND:
    st.volatile.global.u32 [%out], %r1;)");
    expect_with_convergence_barriers(program, of_lanes(32, [](unsigned lane) { return 1 + lane * (lane + 1) / 2; }));
}

TEST_CASE("nested loops with breaks and divergent exits give each thread its own result under both models") {
    const Program program = launched({{3}, {50}}, 150, R"(
    mov.u32 %r0, 0;
    mov.u32 %r1, 0;
    setp.eq.u32 %p6, %t, 17;
    st.global.u32 [%out], 77;
    @%p6 exit;
OUTER:
    mov.u32 %r2, 0;
INNER:
    add.u32 %r3, %r1, %r2;
    add.u32 %r3, %r3, %t;
    and.b32 %r4, %r3, 7;
    setp.eq.u32 %p0, %r4, 6;
    @%p0 bra INNER_DONE;
    mad.lo.u32 %r0, %r0, 3, %r3;
    setp.gt.u32 %p1, %r0, 100000000;
    @%p1 bra OUT;
    setp.eq.u32 %p5, %r0, 1234;
    @%p5 exit;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, %t;
    @%p2 bra INNER;
INNER_DONE:
    add.u32 %r1, %r1, 1;
    and.b32 %r5, %t, 15;
    setp.lt.u32 %p3, %r1, %r5;
    @%p3 bra OUTER;
OUT:
    st.global.u32 [%out], %r0;)");
    expect_everywhere(program, interpret(program));
}

TEST_CASE("lanes that wait for different lanes at different places are reported with their places") {
    const Program program = launched(kOneWarp, 32, R"(
    setp.lt.u32 %p0, %t, 16;
    @%p0 bra LOW;
    shfl.sync.idx.b32 %r0, %t, 0, 31, -1;
    bra.uni JOIN;
LOW:
    vote.sync.ballot.b32 %r0, %p0, -1;
JOIN:
    st.global.u32 [%out], %r0;)");
    const std::initializer_list<std::string_view> words = {"deadlock", "0xffff0000", "0x0000ffff", "PC 0x"};
    check_mentions(ending_of_emulation(program, SimtModel::convergence_barrier), words);
    check_mentions(ending_of_simulation(program, SimtModel::convergence_barrier), words);
}

TEST_CASE("a loop that waits for a store that nobody makes is reported by the emulator") {
    const Program program = launched({{1}, {96}}, 1, R"(
WAIT:
    ld.volatile.global.u32 %r1, [%base];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra WAIT;)");
    for (const SimtModel simt : kModels) { check_mentions(ending_of_emulation(program, simt), {"livelock", "warp 2"}); }
}

/// Each of four CTAs adds 1 to the next one's word once that CTA is present, and `meanwhile` waits for it. The last CTA
/// begins.
std::string chain(const std::string& meanwhile, unsigned last) {
    return kernel(R"(
    mov.u32 %r0, %ctaid.x;
    mul.wide.u32 %rd1, %r0, 4;
    add.u64 %rd1, %base, %rd1;
    setp.eq.u32 %p0, %r0, )" +
                  std::to_string(last) + R"(;
    mov.u32 %r1, 0;
    @%p0 bra SET;
WAIT:
)" + meanwhile + R"(
    ld.volatile.global.u32 %r1, [%rd1+4];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra WAIT;
SET:
    add.u32 %r1, %r1, 1;
    st.volatile.global.u32 [%rd1], %r1;)");
}

}  // namespace

TEST_CASE("CTAs wait for later ones, at barriers meanwhile or counting their turns") {
    for (const char* meanwhile : {"", "bar.sync 0;", "atom.global.add.u32 %r2, [%base+20], 1;"}) {
        INFO(meanwhile);
        const Program program{chain(meanwhile, 3), {{4}, {64}}, 0, 6};
        for (const SimtModel simt : kModels) {
            const std::vector<std::uint32_t> words = emulate(program, simt);
            CHECK(std::vector(words.begin(), words.begin() + 4) == std::vector<std::uint32_t>{4, 3, 2, 1});
        }
    }
}

TEST_CASE("CTAs that all wait for what nobody writes are reported by the emulator") {
    const Program program{chain("", 9), {{4}, {64}}, 0, 6};
    for (const SimtModel simt : kModels) {
        check_mentions(ending_of_emulation(program, simt), {"livelock", "CTA (0, 0, 0)", "warp 1"});
    }
}

TEST_CASE("the timing model gives the same with one scheduler and other latencies") {
    const Program program = launched({{1}, {64}}, 2, kSpinLock);
    for (const char* option : {"sm.schedulers=1", "sm.branch_latency=9", "sm.instruction_buffer=1"}) {
        CHECK(simulate(program, SimtModel::convergence_barrier, {option}) == std::vector<std::uint32_t>{0, 64});
    }
}
