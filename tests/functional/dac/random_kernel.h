#pragma once

#include <fmt/format.h>

#include "components/isa/dim3.h"
#include "tests/support/random_text.h"

namespace lookahead::dac::test {

/// Registers %r8 to %r23 are values, %p4 to %p9 predicates.
inline const lookahead::test::RandomText::Names kRandomStatements = {
    {"v", {"%r<8..23>"}},
    {"scalar", {"%r12", "%r13", "%r14", "<v>", "<number>", "<number>"}},  // often uniform in a block
    {"number", {"<-8..31>"}},
    {"p", {"%p<4..9>"}},
    {"guard", {"", "", "", "", "", "@<|!><p> "}},
    {"compare", {"setp.<eq|ne|lt|le|gt|ge>"}},
    {"arithmetic",
     {"add.s32 <v>, <v>, <v>;", "add.s32 <v>, <v>, <v>;", "add.s32 <v>, <v>, <scalar>;", "add.s32 <v>, <v>, <scalar>;",
      "sub.s32 <v>, <scalar>, <v>;", "mul.lo.s32 <v>, <v>, <scalar>;", "mad.lo.s32 <v>, <v>, <scalar>, <v>;",
      "shl.b32 <v>, <v>, <0..3>;", "<min|max>.s32 <v>, <v>, <scalar>;", "<abs|neg>.s32 <v>, <v>;",
      "and.b32 <v>, <v>, <1|3|7|15|31|63>;", "rem.<u32|s32> <v>, <v>, <1..12>;", "selp.b32 <v>, <v>, <scalar>, <p>;",
      "not.b32 <v>, <v>;", "or.b32 <v>, <v>, <0..3>;", "<xor|or>.b32 <v>, <v>, <v>;",
      "shr.s32 %r1, <v>, 31; and.b32 <v>, %r1, <v>;", "mov.u32 <v>, <scalar>;"}},
    // Loads into %r1 a value that no affine operation makes, from the part of the buffer that is never written.
    {"loaded",
     {"and.b32 %r1, <v>, 511; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %in, %rd2; ld.global.u32 %r1, [%rd3];"}},
    {"comparison",
     {"<and|or>.pred <p>, <p>, <p>;", "not.pred <p>, <p>;",
      "cvt.s64.<s32|u32> %rd1, <v>; <compare>.s64 <p>, %rd1, <number>;",
      "or.b32 %r1, <v>, <v>; setp.<lt|ge>.s32 <p>, %r1, 0;", "<compare>.and.s32 <p>, <v>, <scalar>, <p>;",
      "<loaded> and.b32 %r1, %r1, 7; <compare>.u32 <p>, %r1, <0..7>;", "<compare>.<u32|s32> <p>, <v>, <scalar>;",
      "<compare>.<u32|s32> <p>, <v>, <scalar>;"}},
    // From the part of the buffer that is never written, at an address inside for any index.
    {"load",
     {"<index> mul.wide.<s32|u32> %rd2, %r1, 4; add.s64 %rd3, %in, %rd2; <guard>ld.global.u32 <v>, [%rd3+<0..15*4>];"}},
    {"index", {"rem.u32 %r1, <v>, 512;", "and.b32 %r1, <v>, 511;", "and.b32 %r1, <v>, 511;"}},
    // Makes addresses without remainders from a few bounded values.
    {"plain load",
     {"mov.u32 %r1, %tid.<x|y>; mad.lo.u32 %r1, %r1, <0..4>, <0..29>; <choice> mul.wide.s32 %rd2, %r1, 4; "
      "add.s64 %rd3, %in, %rd2; ld.global.u32 <v>, [%rd3];"}},
    {"choice", {"", "@<p> add.u32 %r1, %r1, <0..8*4>;"}},
    // To or from the thread's own two words of shared memory, or from the part that is never written.
    {"shared access",
     {"<guard>st.shared.u32 [%r30+<0|4>], <v>;", "<guard>ld.shared.u32 <v>, [%r30+<0|4>];",
      "and.b32 %r1, <v>, 511; mov.u32 %r62, held; mad.lo.u32 %r1, %r1, 4, %r62; ld.shared.u32 <v>, [%r1+2048];",
      "<guard>st.shared.v2.u32 [%r30], {<v>, <v>};"}},
    // Ends whole warps, the first one or the others.
    {"warps end",
     {"mov.u32 %r1, %tid.z; mov.u32 %r62, %ntid.y; mov.u32 %r63, %tid.y; mad.lo.u32 %r1, %r1, %r62, %r63;\n"
      "mov.u32 %r62, %ntid.x; mov.u32 %r63, %tid.x; mad.lo.u32 %r1, %r1, %r62, %r63;\n"
      "setp.<lt|ge>.u32 %p14, %r1, 32; @%p14 bra END;"}}};

/// The body of a kernel of kernel_text (bench.h); all values and predicates are
/// written before the random part.
class RandomKernel {
  public:
    explicit RandomKernel(std::uint64_t seed) : random_(seed, kRandomStatements) {}

    std::string body() {
        std::string text =
            "mov.u32 %r8, %tid.x; mov.u32 %r9, %tid.y; mov.u32 %r10, %ctaid.x; mov.u32 %r11, %ctaid.y;\n"
            "mov.u32 %r12, %a; mov.u32 %r13, %b; mov.u32 %r14, %ntid.x; mov.u32 %r15, %gid; mov.u32 %r16, 5;\n"
            "ld.global.u32 %r17, [%mine]; mov.u32 %r18, 0; sub.u32 %r19, %r8, %r12; shl.b32 %r20, %r9, 3;\n"
            "mov.u32 %r21, 1; mov.u32 %r22, %r8; mov.u32 %r23, %r15;\n"
            ".shared .align 4 .b8 held[4096]; mov.u32 %r30, %tid.z; mov.u32 %r62, %ntid.y;\n"
            "mad.lo.u32 %r30, %r30, %r62, %r9; mad.lo.u32 %r30, %r30, %r14, %r8; shl.b32 %r30, %r30, 3;\n"
            "mov.u32 %r62, held; add.u32 %r30, %r30, %r62; st.shared.v2.u32 [%r30], {%r8, %r17};\n";
        for (unsigned p = 4; p < 10; ++p) { text += random_.fill(fmt::format("setp.lt.u32 %p{}, %r8, <0..39>;\n", p)); }
        for (unsigned i = 0; i < 14; ++i) { text += statement(0); }
        for (unsigned i = 0; i < 3; ++i) {
            text += random_.fill(fmt::format("st.global.u32 [%mine+{}], <v>;\n", 4 + 4 * i));
        }
        return text;
    }

  private:
    unsigned below(unsigned end) { return random_.below(end); }

    std::string branch(unsigned depth) {
        const unsigned label = labels_++;
        std::string text = random_.fill(fmt::format("@<p> bra E{};\n", label)) + block(depth + 1);
        if (below(3) == 0) {  // out of the middle
            text += random_.fill(fmt::format("@<p> bra J{};\n", label)) + block(depth + 1);
        }
        text += fmt::format("bra J{0};\nE{0}:\n", label);
        if (below(2) == 0) { text += block(depth + 1); }
        return text + fmt::format("J{}:\n", label);
    }

    /// A few iterations, equal for all threads or not.
    std::string loop(unsigned depth) {
        static constexpr const char* kBounds[] = {"mov.u32 {}, <1..3>;\n", "and.b32 {}, <v>, 3;\n",
                                                  "<loaded> and.b32 {}, %r1, 3;\n"};
        const unsigned label = labels_++;
        const std::string counter = fmt::format("%r{}", 32 + label % 30);
        const std::string bound = fmt::format("%r{}", 24 + depth);
        std::string text = fmt::format("mov.u32 {}, 0; ", counter);
        text += random_.fill(fmt::format(fmt::runtime(kBounds[below(3)]), bound));
        text += fmt::format("L{}:\n", label) + block(depth + 1);
        if (below(3) == 0) { text += random_.fill(fmt::format("@<p> bra X{};\n", label)); }
        return text + fmt::format("add.u32 {0}, {0}, 1; setp.lt.u32 %p{1}, {0}, {2}; @%p{1} bra L{3};\nX{3}:\n",
                                  counter, 10 + depth, bound, label);
    }

    std::string block(unsigned depth) {
        std::string text;
        for (unsigned i = 0; i < 1 + below(4); ++i) { text += statement(depth); }
        return text;
    }

    std::string statement(unsigned depth) {
        const unsigned kind = below(26);
        if (kind >= 24) { return random_.fill("<shared access>\n"); }
        if (kind < 9) { return random_.fill("<guard><arithmetic>\n"); }
        if (kind < 13) { return random_.fill("<comparison>\n"); }
        if (kind < 15) { return random_.fill("<load>\n"); }
        if (kind < 17) { return random_.fill("<plain load>\n"); }
        if (kind < 19) { return random_.fill("<guard>st.global.u32 [%mine+<1..3*4>], <v>;\n"); }
        if (kind == 19 && depth == 0) { return "bar.sync 0;\n"; }
        if (kind == 20 && depth == 0 && below(4) == 0) { return random_.fill("@<p> bra END;\n"); }
        if (kind == 20 && depth == 0 && below(3) == 0) { return random_.fill("<warps end>\n"); }
        if (depth >= 3) { return random_.fill("<arithmetic>\n"); }
        return kind < 23 ? branch(depth) : loop(depth);
    }

    lookahead::test::RandomText random_;
    unsigned labels_ = 0;
};

inline constexpr isa::Dim3 kRandomBlocks[] = {{64, 1, 1}, {33, 2, 1}, {5, 9, 1}, {16, 4, 1}, {7, 1, 1}, {8, 3, 4}};
inline constexpr isa::Dim3 kRandomGrids[] = {{2, 1, 1}, {2, 2, 1}, {3, 1, 1}};

}  // namespace lookahead::dac::test
