#include "tests/functional/simt/random_program.h"

#include <random>
#include <string>
#include <vector>

#include "tests/support/seed.h"

namespace lookahead::test {

namespace {

class Generator {
  public:
    static constexpr unsigned kThreads = 2 * 64;

    /// `apart`: lanes meet at different places and take locks.
    Generator(std::uint64_t seed, bool apart) : random_(seed), apart_(apart) {}

    std::string text() {
        // %r0 to %r7 hold values; %r8 and up are counters and temporaries.
        emit(".reg .f32 %f<4>;\n.reg .f64 %d<4>;\n.reg .b16 %h<4>;\n.local .align 16 .b8 frame[64];");
        for (int i = 0; i < 8; ++i) {
            emit("mad.lo.u32 %r" + std::to_string(i) + ", %n, " + number(1, 99) + ", " + number(0, 9999) + ";");
        }
        for (int part = 0; part < 4; ++part) {
            block(3);
            if (apart_) { meet_apart({random_(), random_(), random_()}, 2); }
            meet();
        }
        for (int i = 1; i < 8; ++i) { emit("mad.lo.u32 %r0, %r0, 31, %r" + std::to_string(i) + ";"); }
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
    unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
    std::string number(unsigned from, unsigned to) { return std::to_string(from + below(to - from + 1)); }
    std::string value() { return "%r" + std::to_string(below(8)); }
    std::string label() { return "L" + std::to_string(labels_++); }
    void emit(const std::string& line) { body_ += line + "\n"; }

    std::string one_of(std::initializer_list<const char*> texts) { return texts.begin()[below(texts.size())]; }

    void single_precision(const std::string& to) {
        emit("mov.b32 %f0, " + value() + ";\nmov.b32 %f1, " + value() + ";\nmov.b32 %f2, " + value() + ";");
        const std::string form = one_of({".rn", ".rm", ".rp", ".rz"}) + one_of({"", ".ftz"});
        switch (below(6)) {
            case 0:
                emit("fma" + form + one_of({"", ".sat"}) + ".f32 %f3, %f0, %f1, %f2;");
                break;
            case 1:
                emit("div" + form + ".f32 %f3, %f0, %f1;");
                break;
            case 2:
                emit(one_of({"sqrt", "rcp"}) + form + ".f32 %f3, %f0;");
                break;
            case 3:
                emit(one_of({"min", "max"}) + one_of({"", ".ftz"}) + ".f32 %f3, %f0, %f1;");
                break;
            default:
                emit(one_of({"add", "sub", "mul"}) + form + one_of({"", ".sat"}) + ".f32 %f3, %f0, %f1;");
        }
        emit("mov.b32 " + to + ", %f3;");
    }

    void double_precision(const std::string& to) {
        for (int i = 0; i < 3; ++i) {
            emit("mov.b64 %d" + std::to_string(i) + ", {" + value() + ", " + value() + "};");
        }
        const std::string form = one_of({".rn", ".rm", ".rp", ".rz"}) + ".f64 %d3, %d0";
        switch (below(4)) {
            case 0:
                emit("fma" + form + ", %d1, %d2;");
                break;
            case 1:
                emit(one_of({"sqrt", "rcp"}) + form + ";");
                break;
            default:
                emit(one_of({"add", "sub", "mul", "div"}) + form + ", %d1;");
        }
        emit("mov.b64 {" + value() + ", " + to + "}, %d3;");
    }

    void half_precision(const std::string& to) {
        const std::string form = one_of({"", ".ftz"}) + one_of({"", ".sat"}) + ".f16x2 " + to + ", " + value() + ", ";
        emit(below(2) ? "fma.rn" + form + value() + ", " + value() + ";"
                      : one_of({"add", "sub", "mul"}) + form + value() + ";");
    }

    void conversion(const std::string& to) {
        emit("mov.b32 %f0, " + value() + ";\nmov.b64 %d0, {" + value() + ", " + value() + "};");
        emit("cvt.u16.u32 %h0, " + value() + ";");
        const std::string whole = one_of({"rni", "rzi", "rmi", "rpi"}), rounding = one_of({"rn", "rz", "rm", "rp"});
        const std::string integer = one_of({"s8", "u8", "s16", "u16", "s32", "u32"});
        switch (below(6)) {
            case 0:
                emit("cvt." + whole + one_of({"", ".ftz"}) + "." + integer + ".f32 " + to + ", %f0;");
                break;
            case 1:
                emit("cvt." + whole + "." + integer + ".f64 " + to + ", %d0;");
                break;
            case 2:
                emit("cvt." + rounding + ".f32." + integer + " %f1, " + value() + ";\nmov.b32 " + to + ", %f1;");
                break;
            case 3:
                emit("cvt." + rounding + ".f32.f64 %f1, %d0;\nmov.b32 " + to + ", %f1;");
                break;
            case 4:
                emit("cvt.f32.f16 %f1, %h0;\nmov.b32 " + to + ", %f1;");
                break;
            default: {
                // From another type: ptxas refuses .sat between equal types.
                const std::string source = integer == "s32" ? "u32" : integer == "u32" ? "s32" : one_of({"s32", "u32"});
                emit("cvt.sat." + integer + "." + source + " " + to + ", " + value() + ";");
            }
        }
    }

    void wide_integers(const std::string& to) {
        emit("mov.b64 %rd1, {" + value() + ", " + value() + "};\nmov.b64 %rd2, {" + value() + ", " + value() + "};");
        switch (below(4)) {
            case 0:
                emit("mad.wide." + one_of({"s32", "u32"}) + " %rd3, " + value() + ", " + value() + ", %rd1;");
                break;
            case 1:
                emit(one_of({"shl.b64", "shr.s64", "shr.u64"}) + " %rd3, %rd1, " + number(0, 70) + ";");
                break;
            case 2:
                emit(one_of({"div.s64", "rem.u64", "mul.hi.s64", "mad.lo.s64"}) + " %rd3, %rd1, %rd2;");
                if (body_.ends_with("mad.lo.s64 %rd3, %rd1, %rd2;\n")) {
                    body_.replace(body_.size() - 2, 1, ", %rd1;");
                }
                break;
            default:
                emit(one_of({"add.s64", "sub.s64", "min.s64", "max.u64", "xor.b64"}) + " %rd3, %rd1, %rd2;");
        }
        emit("mov.b64 {" + to + ", " + value() + "}, %rd3;");
    }

    void short_integers(const std::string& to) {
        emit("cvt.u16.u32 %h0, " + value() + ";\ncvt.u16.u32 %h1, " + value() + ";");
        emit(one_of({"mul.lo.s16", "add.s16", "sub.s16", "min.s16", "max.u16", "div.u16", "rem.s16", "and.b16"}) +
             " %h2, %h0, %h1;");
        emit("cvt." + one_of({"s32.s16", "u32.u16", "s32.s8"}) + " " + to + ", %h2;");
    }

    void bits(const std::string& to) {
        const std::string a = ", " + value(), b = ", " + value(), small = ", " + number(0, 34);
        switch (below(6)) {
            case 0:
                emit("bfe." + one_of({"s32 ", "u32 "}) + to + a + small + ", " + number(0, 34) + ";");
                break;
            case 1:
                emit("bfi.b32 " + to + a + b + small + ", " + number(0, 34) + ";");
                break;
            case 2:
                emit(one_of({"brev.b32 ", "popc.b32 ", "clz.b32 ", "bfind.u32 ", "cnot.b32 "}) + to + a + ";");
                break;
            case 3:
                emit("lop3.b32 " + to + a + b + ", " + value() + ", " + number(0, 255) + ";");
                break;
            case 4:
                emit("slct.u32.s32 " + to + a + b + ", " + value() + ";");
                break;
            default:
                emit(one_of({"div.s32 ", "rem.u32 ", "mul24.lo.u32 ", "add.sat.s32 ", "sub.sat.s32 "}) + to + a + b +
                     ";");
        }
    }

    void local_memory(const std::string& to) {
        emit("and.b32 %r23, " + value() + ", 60;\nmov.u32 %r24, frame;\nadd.u32 %r23, %r23, %r24;");
        emit(below(2) ? "st.local.u32 [%r23], " + value() + ";" : "ld.local.u32 " + to + ", [%r23];");
    }

    /// Reads the words of a table in order, in a loop with a counter.
    void table_loop(const std::string& to) {
        const std::string again = label();
        emit("and.b32 %r20, " + value() + ", 28;\nmul.wide.u32 %rd5, %r20, 4;\nmov.u64 %rd4, words;");
        emit("add.u64 %rd4, %rd4, %rd5;\nmov.u32 %r21, 0;\n" + again + ":");
        emit("ld.global.u32 %r22, [%rd4];\nadd.u64 %rd4, %rd4, 4;\nmad.lo.u32 " + to + ", " + to + ", 3, %r22;");
        emit("add.u32 %r21, %r21, 1;\nsetp.lt.u32 %p7, %r21, " + number(1, 32) + ";\n@%p7 bra " + again + ";");
    }

    /// Accesses vectors, bytes and halves of the thread's local memory and of the table, by addresses of their space or
    /// generic ones.
    void memory_forms(const std::string& to) {
        const bool is_local = below(3) != 0, is_generic = below(2) != 0;
        const std::string space = is_local ? ".local" : ".global";
        emit("and.b32 %r20, " + value() + ", 48;\ncvt.u64.u32 %rd5, %r20;");
        emit(std::string("mov.u64 %rd4, ") + (is_local ? "frame" : "words") + ";");
        if (is_generic) { emit("cvta" + space + ".u64 %rd4, %rd4;"); }
        emit("add.u64 %rd4, %rd4, %rd5;");
        const std::string kind = is_generic ? "" : space;
        const bool stores = is_local && below(2) == 0;
        switch (below(4)) {
            case 0:
                return emit(stores ? "st" + kind + ".v4.u32 [%rd4], {" + value() + ", " + value() + ", " + value() +
                                         ", " + value() + "};"
                                   : "ld" + kind + ".v4.u32 {%r0, %r2, %r4, %r6}, [%rd4];");
            case 1:
                return emit(stores ? "st" + kind + ".v2.u32 [%rd4+8], {" + value() + ", " + value() + "};"
                                   : "ld" + kind + ".v2.u32 {%r1, %r3}, [%rd4+8];");
            case 2: {
                const std::string at = " [%rd4+" + number(0, 15) + "]";
                return emit(stores ? "st" + kind + ".u8" + at + ", " + value() + ";"
                                   : "ld" + kind + one_of({".u8 ", ".s8 "}) + to + "," + at + ";");
            }
            default: {
                const std::string at = " [%rd4+" + std::to_string(2 * below(8)) + "]";
                return emit(stores ? "st" + kind + ".u16" + at + ", " + value() + ";"
                                   : "ld" + kind + one_of({".u16 ", ".s16 "}) + to + "," + at + ";");
            }
        }
    }

    /// Reads words, halves and bytes of the struct parameter, at a place that a register gives.
    void indexed_parameter(const std::string& to) {
        emit("and.b32 %r20, " + value() + ", 112;\ncvt.u64.u32 %rd5, %r20;\nmov.b64 %rd4, table;");
        const bool is_generic = below(2) != 0;
        if (is_generic) { emit("cvta.param.u64 %rd4, %rd4;"); }
        emit("add.u64 %rd4, %rd4, %rd5;");
        const std::string load = is_generic ? "ld" : "ld.param";
        switch (below(4)) {
            case 0:
                return emit(load + ".v4.u32 {%r1, %r3, %r5, %r7}, [%rd4];");
            case 1:
                return emit(load + one_of({".u8 ", ".s8 "}) + to + ", [%rd4+" + number(0, 15) + "];");
            case 2:
                return emit(load + one_of({".u16 ", ".s16 "}) + to + ", [%rd4+" + std::to_string(2 * below(8)) + "];");
            default:
                return emit(load + ".u32 " + to + ", [%rd4+" + std::to_string(4 * below(4)) + "];");
        }
    }

    void arithmetic() {
        static const char* const kOps[] = {"add.u32",    "sub.u32", "xor.b32", "and.b32",   "or.b32",
                                           "mul.lo.u32", "min.s32", "max.u32", "mul.hi.u32"};
        const std::string to = value();
        switch (below(19)) {
            case 13:
                return table_loop(to);
            case 14:
            case 15:
                return memory_forms(to);
            case 16:
                return indexed_parameter(to);
            case 4:
            case 5:
                return single_precision(to);
            case 6:
                return double_precision(to);
            case 7:
                return half_precision(to);
            case 8:
                return conversion(to);
            case 9:
                return wide_integers(to);
            case 10:
                return short_integers(to);
            case 11:
                return bits(to);
            case 12:
                return local_memory(to);
            case 0:
                emit("shf.l.wrap.b32 " + to + ", " + value() + ", " + value() + ", " + number(0, 40) + ";");
                break;
            case 1:
                emit("add.cc.u32 " + to + ", " + value() + ", " + value() + ";");
                emit("addc.u32 " + value() + ", " + value() + ", " + value() + ";");
                break;
            case 2:
                emit("prmt.b32 " + to + ", " + value() + ", " + value() + ", " + number(0, 65535) + ";");
                break;
            case 3:
                emit("{ .param .b32 p0; st.param.b32 [p0], " + value() + "; .param .b32 p1; st.param.b32 [p1], " +
                     value() + "; .param .b32 r0; call.uni (r0), mix, (p0, p1); ld.param.b32 " + to + ", [r0]; }");
                break;
            default:
                emit(std::string(kOps[below(std::size(kOps))]) + " " + to + ", " + value() + ", " + value() + ";");
        }
    }

    std::string condition() {
        const std::string p = "%p" + std::to_string(below(4));
        emit("and.b32 %r20, " + value() + ", " + number(1, 31) + ";");
        emit("setp." + std::string(below(2) ? "lt" : "ne") + ".u32 " + p + ", %r20, " + number(0, 20) + ";");
        return (below(2) ? "@" : "@!") + p + " ";
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
        emit("and.b32 " + counter + ", " + value() + ", 7;");
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
                    emit("red.global.add.u32 [%base+" + std::to_string(4 * (kThreads + below(8))) + "], " + value() +
                         ";");
                    break;
                default:
                    emit(condition() + "add.u32 " + value() + ", " + value() + ", 5;");
            }
        }
    }

    /// Every lane executes `kinds` in turn, on its own path.
    void meet_apart(std::vector<std::uint64_t> kinds, unsigned depth) {
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
    void meet_one(std::uint64_t kind) {
        static const char* const kShuffles[] = {"up", "down", "bfly", "idx"};
        const std::string to = value(), from = value(), lane = ", " + std::to_string(kind / 8 % 32);
        emit("setp.lt.s32 %p5, " + from + ", " + value() + ";");
        switch (kind % 8) {
            case 0:
                return emit(std::string("shfl.sync.") + kShuffles[kind / 8 % 4] + ".b32 " + to + ", " + from + lane +
                            ", 31, -1;");
            case 1:
                return emit("vote.sync.ballot.b32 " + to + ", %p5, -1;");
            case 2:
                return emit("redux.sync.xor.b32 " + to + ", " + from + ", -1;");
            case 3:
                return emit("and.b32 %r20, " + from + ", 3;\nmatch.any.sync.b32 " + to + ", %r20, -1;");
            case 4:
                return emit("barrier.red.popc.u32 " + to + ", 3, %p5;");
            case 5:
                return emit("barrier.sync 5;");
            case 6:
                return quads(to, from);
            default:
                return take_lock(from);
        }
    }

    void quads(const std::string& to, const std::string& from) {
        emit("mov.u32 %r20, %laneid;\nand.b32 %r20, %r20, 28;\nshl.b32 %r20, 15, %r20;");
        emit("redux.sync.add.u32 " + to + ", " + from + ", %r20;");
    }

    /// Adds to a sum guarded by a lock; both follow the threads' words.
    void take_lock(const std::string& addend) {
        const std::string lock = std::to_string(4 * (kThreads + 8)), sum = std::to_string(4 * (kThreads + 9));
        const std::string again = label();
        emit(again + ":\natom.global.cas.b32 %r20, [%base+" + lock + "], 0, 1;");
        emit("setp.ne.u32 %p5, %r20, 0;\n@%p5 bra " + again + ";");
        emit("ld.volatile.global.u32 %r21, [%base+" + sum + "];\nadd.u32 %r21, %r21, " + addend + ";");
        emit("st.volatile.global.u32 [%base+" + sum + "], %r21;\nmembar.gl;");
        emit("atom.global.exch.b32 %r20, [%base+" + lock + "], 0;");
    }

    /// All threads of the CTA exchange data through shared memory, in an order fixed by barriers, or by atomics.
    void meet() {
        emit("bar.sync 0;");
        const std::string to = value(), from = value();
        switch (below(6)) {
            case 0:
                return emit("shfl.sync." + one_of({"up", "down", "bfly", "idx"}) + ".b32 " + to + "|%p5, " + from +
                            ", " + number(0, 31) + ", " + one_of({"31", "0", "7199"}) + ", -1;");
            case 1:
                return emit("setp.lt.s32 %p5, " + from + ", " + value() + ";\nvote.sync.ballot.b32 " + to +
                            ", %p5, -1;");
            case 2:
                return emit("redux.sync." + one_of({"add.u32 ", "min.s32 ", "max.u32 "}) + to + ", " + from + ", -1;");
            case 3:
                return emit("and.b32 %r20, " + from + ", 3;\nmatch.any.sync.b32 " + to + ", %r20, -1;");
            case 4:
                emit("mov.u32 %r20, buffer;\nshl.b32 %r21, %t, 2;\nadd.u32 %r22, %r20, %r21;");
                emit("st.shared.u32 [%r22], " + value() + ";");
                emit("bar.sync " + number(0, 15) + ";");
                emit("xor.b32 %r21, %r21, " + std::to_string(4 * below(64)) + ";\nadd.u32 %r22, %r20, %r21;");
                emit("ld.shared.u32 " + value() + ", [%r22];");
                break;
            default:
                emit("and.b32 %r21, " + value() + ", 255;");
                emit("atom.shared.add.u32 %r22, [total], %r21;");
                emit("bar.sync 0;");
                emit("ld.shared.u32 " + value() + ", [total];");
        }
        emit("bar.sync 0;");
    }

    std::mt19937_64 random_;
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
