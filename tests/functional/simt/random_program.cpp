#include "tests/functional/simt/random_program.h"

#include <fmt/format.h>

#include "tests/support/random_text.h"
#include "tests/support/seed.h"

namespace lookahead::test {

namespace {

/// %r0 to %r7 hold values; %r8 and up are counters and temporaries.
const RandomText::Names kNames = {
    {"v", {"%r<0..7>"}},
    {"rounding", {".<rn|rm|rp|rz>"}},
    {"whole", {".<rni|rzi|rmi|rpi>"}},
    {"integer", {".<s8|u8|s16|u16|s32|u32>"}},
    {"arithmetic",
     {"shf.l.wrap.b32 <v>, <v>, <v>, <0..40>;", "add.cc.u32 <v>, <v>, <v>;\naddc.u32 <v>, <v>, <v>;",
      "prmt.b32 <v>, <v>, <v>, <0..65535>;",
      "{ .param .b32 p0; st.param.b32 [p0], <v>; .param .b32 p1; st.param.b32 [p1], <v>; .param .b32 r0; "
      "call.uni (r0), mix, (p0, p1); ld.param.b32 <v>, [r0]; }",
      "<single>", "<single>",
      "mov.b64 %d0, {<v>, <v>};\nmov.b64 %d1, {<v>, <v>};\nmov.b64 %d2, {<v>, <v>};\n<double>\nmov.b64 {<v>, <v>}, "
      "%d3;",
      "<half>", "mov.b32 %f0, <v>;\nmov.b64 %d0, {<v>, <v>};\ncvt.u16.u32 %h0, <v>;\n<conversion>",
      "mov.b64 %rd1, {<v>, <v>};\nmov.b64 %rd2, {<v>, <v>};\n<wide>\nmov.b64 {<v>, <v>}, %rd3;",
      "cvt.u16.u32 %h0, <v>;\ncvt.u16.u32 %h1, <v>;\n<short>\ncvt.<s32.s16|u32.u16|s32.s8> <v>, %h2;", "<bits>",
      "and.b32 %r23, <v>, 60;\nmov.u32 %r24, frame;\nadd.u32 %r23, %r23, %r24;\n<local>", "<simple>", "<simple>"}},
    {"simple", {"<add.u32|sub.u32|xor.b32|and.b32|or.b32|mul.lo.u32|min.s32|max.u32|mul.hi.u32> <v>, <v>, <v>;"}},
    {"single", {"mov.b32 %f0, <v>;\nmov.b32 %f1, <v>;\nmov.b32 %f2, <v>;\n<single operation>\nmov.b32 <v>, %f3;"}},
    {"single operation",
     {"fma<rounding><|.ftz><|.sat>.f32 %f3, %f0, %f1, %f2;", "div<rounding><|.ftz>.f32 %f3, %f0, %f1;",
      "<sqrt|rcp><rounding><|.ftz>.f32 %f3, %f0;", "<min|max><|.ftz>.f32 %f3, %f0, %f1;",
      "<add|sub|mul><rounding><|.ftz><|.sat>.f32 %f3, %f0, %f1;"}},
    {"double",
     {"fma<rounding>.f64 %d3, %d0, %d1, %d2;", "<sqrt|rcp><rounding>.f64 %d3, %d0;",
      "<add|sub|mul|div><rounding>.f64 %d3, %d0, %d1;"}},
    {"half", {"fma.rn<|.ftz><|.sat>.f16x2 <v>, <v>, <v>, <v>;", "<add|sub|mul><|.ftz><|.sat>.f16x2 <v>, <v>, <v>;"}},
    {"conversion",
     {"cvt<whole><|.ftz><integer>.f32 <v>, %f0;", "cvt<whole><integer>.f64 <v>, %d0;",
      "cvt<rounding>.f32<integer> %f1, <v>;\nmov.b32 <v>, %f1;", "cvt<rounding>.f32.f64 %f1, %d0;\nmov.b32 <v>, %f1;",
      "cvt.f32.f16 %f1, %h0;\nmov.b32 <v>, %f1;",
      // From another type: ptxas refuses .sat between equal types.
      "cvt.sat.<s8|u8|s16|u16|u32>.s32 <v>, <v>;", "cvt.sat.<s8|u8|s16|u16|s32>.u32 <v>, <v>;"}},
    {"wide",
     {"mad.wide.<s32|u32> %rd3, <v>, <v>, %rd1;", "<shl.b64|shr.s64|shr.u64> %rd3, %rd1, <0..70>;",
      "<div.s64|rem.u64|mul.hi.s64> %rd3, %rd1, %rd2;", "mad.lo.s64 %rd3, %rd1, %rd2, %rd1;",
      "<add.s64|sub.s64|min.s64|max.u64|xor.b64> %rd3, %rd1, %rd2;"}},
    {"short", {"<mul.lo.s16|add.s16|sub.s16|min.s16|max.u16|div.u16|rem.s16|and.b16> %h2, %h0, %h1;"}},
    {"bits",
     {"bfe.<s32|u32> <v>, <v>, <0..34>, <0..34>;", "bfi.b32 <v>, <v>, <v>, <0..34>, <0..34>;",
      "<brev.b32|popc.b32|clz.b32|bfind.u32|cnot.b32> <v>, <v>;", "lop3.b32 <v>, <v>, <v>, <v>, <0..255>;",
      "slct.u32.s32 <v>, <v>, <v>, <v>;", "<div.s32|rem.u32|mul24.lo.u32|add.sat.s32|sub.sat.s32> <v>, <v>, <v>;"}},
    {"local", {"st.local.u32 [%r23], <v>;", "ld.local.u32 <v>, [%r23];"}},
    // The kind and place of an access to 16 bytes at %rd4.
    {"stored",
     {".v4.u32 [%rd4], {<v>, <v>, <v>, <v>};", ".v2.u32 [%rd4+8], {<v>, <v>};", ".u8 [%rd4+<0..15>], <v>;",
      ".u16 [%rd4+<0..7*2>], <v>;"}},
    {"loaded",
     {".v4.u32 {%r0, %r2, %r4, %r6}, [%rd4];", ".v2.u32 {%r1, %r3}, [%rd4+8];", ".<u8|s8> <v>, [%rd4+<0..15>];",
      ".<u16|s16> <v>, [%rd4+<0..7*2>];", ".u32 <v>, [%rd4+<0..3*4>];"}},
    // All threads of the CTA exchange data through shared memory, in an order fixed by barriers, or by atomics.
    {"meeting",
     {"shfl.sync.<up|down|bfly|idx>.b32 <v>|%p5, <v>, <0..31>, <31|0|7199>, -1;",
      "setp.lt.s32 %p5, <v>, <v>;\nvote.sync.ballot.b32 <v>, %p5, -1;",
      "redux.sync.<add.u32|min.s32|max.u32> <v>, <v>, -1;", "and.b32 %r20, <v>, 3;\nmatch.any.sync.b32 <v>, %r20, -1;",
      "mov.u32 %r20, buffer;\nshl.b32 %r21, %t, 2;\nadd.u32 %r22, %r20, %r21;\nst.shared.u32 [%r22], <v>;\n"
      "bar.sync <0..15>;\nxor.b32 %r21, %r21, <0..63*4>;\nadd.u32 %r22, %r20, %r21;\n"
      "ld.shared.u32 <v>, [%r22];\nbar.sync 0;",
      "and.b32 %r21, <v>, 255;\natom.shared.add.u32 %r22, [total], %r21;\nbar.sync 0;\n"
      "ld.shared.u32 <v>, [total];\nbar.sync 0;"}}};

class Generator {
  public:
    static constexpr unsigned kThreads = 2 * 64;

    /// `apart`: lanes meet at different places and take locks.
    Generator(std::uint64_t seed, bool apart) : random_(seed, kNames), apart_(apart) {}

    std::string text() {
        body_ = ".reg .f32 %f<4>;\n.reg .f64 %d<4>;\n.reg .b16 %h<4>;\n.local .align 16 .b8 frame[64];\n";
        for (int i = 0; i < 8; ++i) { emit(fmt::format("mad.lo.u32 %r{}, %n, <1..99>, <0..9999>;", i)); }
        for (int part = 0; part < 4; ++part) {
            block(3);
            if (apart_) { meet_apart({below(1024), below(1024), below(1024)}, 2); }
            emit("bar.sync 0;\n<meeting>");
        }
        for (int i = 1; i < 8; ++i) { emit(fmt::format("mad.lo.u32 %r0, %r0, 31, %r{};", i)); }
        emit("st.global.u32 [%out], %r0;");
        std::string words = ".global .align 16 .u32 words[64] = {1";
        for (int i = 1; i < 64; ++i) { words += ", " + std::to_string(i * i * 2654435761u); }
        return kernel(body_, words + "};" + R"(
.global .align 4 .u32 factors[4] = {3, 5, 7, 11};
.const .align 4 .u32 addends[4] = {17, 170, 1700, 17000};
.shared .align 4 .b8 buffer[512];
.shared .align 4 .u32 total;
.func (.param .b32 result) mix(.param .b32 x, .param .b32 y)
{
    .reg .b32 %r<6>; .reg .b64 %rd<3>; .reg .pred %p<2>;
    ld.param.u32 %r0, [x];
    ld.param.u32 %r1, [y];
    and.b32 %r2, %r0, 3;
    mov.u64 %rd0, factors;
    mul.wide.u32 %rd1, %r2, 4;
    add.u64 %rd0, %rd0, %rd1;
    ld.global.u32 %r3, [%rd0];
    setp.gt.u32 %p0, %r0, %r1;
    @%p0 bra MORE;
    mad.lo.u32 %r4, %r1, %r3, %r0;
    bra.uni DONE;
MORE:
    mov.u64 %rd0, addends;
    add.u64 %rd0, %rd0, %rd1;
    ld.const.u32 %r4, [%rd0];
    xor.b32 %r4, %r4, %r0;
DONE:
    st.param.b32 [result], %r4;
    ret;
}
)");
    }

  private:
    unsigned below(unsigned limit) { return random_.below(limit); }
    std::string label() { return "L" + std::to_string(labels_++); }
    void emit(const std::string& pattern) { body_ += random_.fill(pattern) + "\n"; }

    /// Reads the words of a table in order, in a loop with a counter.
    void table_loop() {
        const std::string again = label(), to = random_.fill("<v>");
        emit("and.b32 %r20, <v>, 28;\nmul.wide.u32 %rd5, %r20, 4;\nmov.u64 %rd4, words;\nadd.u64 %rd4, %rd4, %rd5;");
        emit(
            fmt::format("mov.u32 %r21, 0;\n{0}:\nld.global.u32 %r22, [%rd4];\nadd.u64 %rd4, %rd4, 4;\n"
                        "mad.lo.u32 {1}, {1}, 3, %r22;\nadd.u32 %r21, %r21, 1;\nsetp.lt.u32 %p7, %r21, <1..32>;\n"
                        "@%p7 bra {0};",
                        again, to));
    }

    /// Accesses vectors, bytes, halves and words of a variable, by addresses of its space or generic ones. `places` has
    /// the bits of the first address that vary.
    void access(const std::string& space, const std::string& variable, unsigned places, bool stores) {
        const bool is_generic = random_.one_in(2);
        emit(fmt::format("and.b32 %r20, <v>, {};\ncvt.u64.u32 %rd5, %r20;\nmov.b64 %rd4, {};", places, variable));
        if (is_generic) { emit("cvta" + space + ".u64 %rd4, %rd4;"); }
        emit("add.u64 %rd4, %rd4, %rd5;");
        emit((stores ? "st" : "ld") + (is_generic ? "" : space) + (stores ? "<stored>" : "<loaded>"));
    }

    void arithmetic() {
        switch (below(19)) {
            case 0:
                return table_loop();
            case 1:
                return access(".global", "words", 48, false);
            case 2:
                return access(".local", "frame", 48, random_.one_in(2));
            case 3:
                return access(".param", "table", 112, false);
            default:
                return emit("<arithmetic>");
        }
    }

    std::string condition() {
        const std::string p = "%p" + std::to_string(below(4));
        emit("and.b32 %r20, <v>, <1..31>;\nsetp.<lt|ne>.u32 " + p + ", %r20, <0..20>;");
        return "@<|!>" + p + " ";
    }

    void branch(unsigned depth) {
        const std::string other = label(), join = label();
        emit(condition() + "bra " + other + ";");
        block(depth - 1);
        // Occasionally jumps into the middle of what follows: not structured.
        if (below(4) != 0) { emit("bra.uni " + join + ";"); }
        emit(other + ":");
        block(depth - 1);
        emit(join + ":");
    }

    void loop(unsigned depth) {
        const std::string head = label(), out = label(), next = label();
        const std::string counter = "%r" + std::to_string(8 + depth);
        emit("and.b32 " + counter + ", <v>, 7;");
        emit(head + ":");
        block(depth - 1);
        if (below(2)) { emit(condition() + "bra " + out + ";"); }
        if (below(3) == 0) { emit(condition() + "bra " + next + ";"); }
        arithmetic();
        emit(next + ":");
        emit("add.u32 " + counter + ", " + counter + ", 1;");
        emit("setp.lt.u32 %p6, " + counter + ", 9;");
        emit("@%p6 bra " + head + ";");
        emit(out + ":");
    }

    void block(unsigned depth) {
        const unsigned parts = 1 + below(3);
        for (unsigned i = 0; i < parts; ++i) {
            arithmetic();
            if (depth == 0) { continue; }
            switch (below(5)) {
                case 0:
                case 1:
                    branch(depth);
                    break;
                case 2:
                    loop(depth);
                    break;
                case 3:
                    // A sum that is not read before the kernel's end.
                    emit("red.global.add.u32 [%base+" + std::to_string(4 * (kThreads + below(8))) + "], <v>;");
                    break;
                default:
                    emit(condition() + "add.u32 <v>, <v>, 5;");
            }
        }
    }

    /// Every lane executes `kinds` in turn, on its own path.
    void meet_apart(std::vector<unsigned> kinds, unsigned depth) {
        if (kinds.empty()) { return; }
        block(1);
        if (depth > 0 && below(2) == 0) {
            const std::string other = label(), join = label();
            emit(condition() + "bra " + other + ";");
            meet_apart(kinds, depth - 1);
            emit("bra.uni " + join + ";\n" + other + ":");
            meet_apart(kinds, depth - 1);
            return emit(join + ":");
        }
        meet_one(kinds.front());
        meet_apart({kinds.begin() + 1, kinds.end()}, depth);
    }

    /// The instruction in which lanes with equal `kind` meet, wherever each is.
    void meet_one(unsigned kind) {
        static const char* const kShuffles[] = {"up", "down", "bfly", "idx"};
        emit("setp.lt.s32 %p5, <v>, <v>;");
        switch (kind % 8) {
            case 0:
                return emit(
                    fmt::format("shfl.sync.{}.b32 <v>, <v>, {}, 31, -1;", kShuffles[kind / 8 % 4], kind / 8 % 32));
            case 1:
                return emit("vote.sync.ballot.b32 <v>, %p5, -1;");
            case 2:
                return emit("redux.sync.xor.b32 <v>, <v>, -1;");
            case 3:
                return emit("and.b32 %r20, <v>, 3;\nmatch.any.sync.b32 <v>, %r20, -1;");
            case 4:
                return emit("barrier.red.popc.u32 <v>, 3, %p5;");
            case 5:
                return emit("barrier.sync 5;");
            case 6:  // quads
                return emit(
                    "mov.u32 %r20, %laneid;\nand.b32 %r20, %r20, 28;\nshl.b32 %r20, 15, %r20;\n"
                    "redux.sync.add.u32 <v>, <v>, %r20;");
            default:
                return take_lock();
        }
    }

    /// Adds to a sum guarded by a lock; both follow the threads' words.
    void take_lock() {
        emit(
            fmt::format("{0}:\natom.global.cas.b32 %r20, [%base+{1}], 0, 1;\nsetp.ne.u32 %p5, %r20, 0;\n@%p5 bra {0};\n"
                        "ld.volatile.global.u32 %r21, [%base+{2}];\nadd.u32 %r21, %r21, <v>;\n"
                        "st.volatile.global.u32 [%base+{2}], %r21;\nmembar.gl;\n"
                        "atom.global.exch.b32 %r20, [%base+{1}], 0;",
                        label(), 4 * (kThreads + 8), 4 * (kThreads + 9)));
    }

    RandomText random_;
    bool apart_;
    std::string body_;
    unsigned labels_ = 0;
};

}  // namespace

Program random_program(std::uint64_t seed, bool apart) {
    static constexpr unsigned kLimits[] = {63, 14, 18, 24, 32};
    Program program{Generator(seed, apart).text(), {{2}, {64}}, 0, Generator::kThreads + 10};
    static constexpr const char* kMachines[] = {"isa.expand_64bit=false", "isa.expand_64bit=true",
                                                "finaliser.schedule=false", "finaliser.fuse_products=true",
                                                "isa.single_constant=true"};
    program.options = {"isa.registers=" + std::to_string(kLimits[seed % std::size(kLimits)]),
                       kMachines[seed / std::size(kLimits) % std::size(kMachines)]};
    std::uint32_t word = 0;
    for (std::uint32_t& each : program.table.words) { each = ++word * 2246822519U; }
    return program;
}

std::uint64_t first_seed() {
    return seed_or(1);
}

}  // namespace lookahead::test
