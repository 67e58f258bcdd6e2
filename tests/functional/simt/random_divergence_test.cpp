// Random programs with divergence: the scalar interpreter, the emulator and the timing model, both SIMT models.
#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

#include "tests/functional/simt/three_devices.h"

using namespace lookahead;
using namespace lookahead::test;

namespace {

/// Writes the body of a kernel: structured and unstructured control flow, exits, loops with breaks, calls, carries,
/// integer atomics whose sums do not hang on the order, shared memory between barriers, votes where all lanes are.
class Generator {
  public:
    explicit Generator(std::uint64_t seed) : random_(seed) {}

    std::string text() {
        // %r0 to %r7 hold values; %r8 and up are counters and temporaries.
        for (int i = 0; i < 8; ++i)
            emit("mad.lo.u32 %r" + std::to_string(i) + ", %n, " + number(1, 99) + ", " + number(0, 9999) + ";");
        for (int part = 0; part < 4; ++part) {
            block(3);
            meet();
        }
        for (int i = 1; i < 8; ++i) emit("mad.lo.u32 %r0, %r0, 31, %r" + std::to_string(i) + ";");
        emit("st.global.u32 [%out], %r0;");
        return kernel(body_, R"(
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

    void arithmetic() {
        static const char* const kOps[] = {"add.u32",    "sub.u32", "xor.b32", "and.b32",   "or.b32",
                                           "mul.lo.u32", "min.s32", "max.u32", "mul.hi.u32"};
        const std::string to = value();
        switch (below(8)) {
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
        // Now and then into the middle of what follows: not structured.
        if (below(4) != 0) emit("bra.uni " + join + ";");
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
        if (below(2)) emit(condition() + "bra " + out + ";");
        if (below(3) == 0) emit(condition() + "bra " + next + ";");
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
            if (depth == 0) continue;
            switch (below(5)) {
                case 0:
                case 1:
                    branch(depth);
                    break;
                case 2:
                    loop(depth);
                    break;
                case 3:
                    // A sum that nobody reads before the end of the kernel.
                    emit("red.global.add.u32 [%base+" + std::to_string(4 * (kThreads + below(8))) + "], " + value() +
                         ";");
                    break;
                default:
                    emit(condition() + "add.u32 " + value() + ", " + value() + ", 5;");
            }
        }
    }

    /// All threads of the CTA come here: through shared memory, in an order that barriers fix, or by atomics.
    void meet() {
        emit("bar.sync 0;");
        switch (below(2)) {
            case 0:
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

  public:
    static constexpr unsigned kThreads = 2 * 64;

  private:
    std::mt19937_64 random_;
    std::string body_;
    unsigned labels_ = 0;
};

std::uint64_t first_seed() {
    const char* given = std::getenv("LOOKAHEAD_TEST_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
}

}  // namespace

TEST_CASE("random divergent programs give on emulator and timing model, under both models, what each thread computes") {
    const std::uint64_t first = first_seed();
    MESSAGE("seeds from " << first);
    for (std::uint64_t seed = first; seed < first + 40; ++seed) {
        const Program program{Generator(seed).text(), {{2}, {64}}, 0, Generator::kThreads + 8};
        CAPTURE(seed);
        run_everywhere(program);
    }
}
