#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>

#include "components/isa/dim3.h"

namespace lookahead::dac::test {

/// The body of a kernel of kernel_text (bench.h). Registers %r8 to %r23 are values, %p4 to %p9 predicates; all are
/// written before the random part.
class RandomKernel {
  public:
    explicit RandomKernel(std::uint64_t seed) : random_(seed) {}

    std::string body() {
        std::string text =
            "mov.u32 %r8, %tid.x; mov.u32 %r9, %tid.y; mov.u32 %r10, %ctaid.x; mov.u32 %r11, %ctaid.y;\n"
            "mov.u32 %r12, %a; mov.u32 %r13, %b; mov.u32 %r14, %ntid.x; mov.u32 %r15, %gid; mov.u32 %r16, 5;\n"
            "ld.global.u32 %r17, [%mine]; mov.u32 %r18, 0; sub.u32 %r19, %r8, %r12; shl.b32 %r20, %r9, 3;\n"
            "mov.u32 %r21, 1; mov.u32 %r22, %r8; mov.u32 %r23, %r15;\n"
            ".shared .align 4 .b8 held[4096]; mov.u32 %r30, %tid.z; mov.u32 %r62, %ntid.y;\n"
            "mad.lo.u32 %r30, %r30, %r62, %r9; mad.lo.u32 %r30, %r30, %r14, %r8; shl.b32 %r30, %r30, 3;\n"
            "mov.u32 %r62, held; add.u32 %r30, %r30, %r62; st.shared.v2.u32 [%r30], {%r8, %r17};\n";
        for (unsigned p = 4; p < 10; ++p) { text += fmt::format("setp.lt.u32 %p{}, %r8, {};\n", p, below(40)); }
        for (unsigned i = 0; i < 14; ++i) { text += statement(0); }
        for (unsigned i = 0; i < 3; ++i) { text += fmt::format("st.global.u32 [%mine+{}], {};\n", 4 + 4 * i, value()); }
        return text;
    }

  private:
    unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
    std::string value() { return fmt::format("%r{}", 8 + below(16)); }
    /// Often uniform in a block.
    std::string scalar() {
        const unsigned pick = below(6);
        return pick == 0 ? "%r12" : pick == 1 ? "%r13" : pick == 2 ? "%r14" : pick == 3 ? value() : number();
    }
    std::string number() { return std::to_string(static_cast<int>(below(40)) - 8); }
    std::string predicate() { return fmt::format("%p{}", 4 + below(6)); }
    std::string guard() { return below(6) != 0 ? "" : fmt::format("@{}{} ", below(2) == 0 ? "!" : "", predicate()); }

    std::string arithmetic() {
        const std::string to = value(), from = value();
        switch (below(18)) {
            case 0:
            case 1:
                return fmt::format("add.s32 {}, {}, {};", to, from, value());
            case 2:
            case 3:
                return fmt::format("add.s32 {}, {}, {};", to, from, scalar());
            case 4:
                return fmt::format("sub.s32 {}, {}, {};", to, scalar(), from);
            case 5:
                return fmt::format("mul.lo.s32 {}, {}, {};", to, from, scalar());
            case 6:
                return fmt::format("mad.lo.s32 {}, {}, {}, {};", to, from, scalar(), value());
            case 7:
                return fmt::format("shl.b32 {}, {}, {};", to, from, below(4));
            case 8:
                return fmt::format("{}.s32 {}, {}, {};", below(2) == 0 ? "min" : "max", to, from, scalar());
            case 9:
                return fmt::format("{}.s32 {}, {};", below(2) == 0 ? "abs" : "neg", to, from);
            case 10:
                return fmt::format("and.b32 {}, {}, {};", to, from, (1U << (1 + below(6))) - 1);
            case 11:
                return fmt::format("rem.{} {}, {}, {};", below(2) == 0 ? "u32" : "s32", to, from, 1 + below(12));
            case 12:
                return fmt::format("selp.b32 {}, {}, {}, {};", to, from, scalar(), predicate());
            case 13:
                return fmt::format("not.b32 {}, {};", to, from);
            case 14:
                return fmt::format("or.b32 {}, {}, {};", to, from, below(4));
            case 15:
                return fmt::format("{}.b32 {}, {}, {};", below(2) == 0 ? "xor" : "or", to, from, value());
            case 16:
                return fmt::format("shr.s32 %r1, {}, 31; and.b32 {}, %r1, {};", from, to, value());
            default:
                return fmt::format("mov.u32 {}, {};", to, scalar());
        }
    }

    /// Loads into %r1 a value that no affine operation makes, from the part of the buffer that is never written.
    std::string loaded() {
        return fmt::format(
            "and.b32 %r1, {}, 511; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %in, %rd2; "
            "ld.global.u32 %r1, [%rd3];",
            value());
    }

    std::string comparison() {
        static constexpr const char* kNames[] = {"eq", "ne", "lt", "le", "gt", "ge"};
        const std::string to = predicate();
        switch (below(8)) {
            case 0:
                return fmt::format("{}.pred {}, {}, {};", below(2) == 0 ? "and" : "or", to, predicate(), predicate());
            case 1:
                return fmt::format("not.pred {}, {};", to, predicate());
            case 2:
                return fmt::format("cvt.s64.{} %rd1, {}; setp.{}.s64 {}, %rd1, {};", below(2) == 0 ? "s32" : "u32",
                                   value(), kNames[below(6)], to, number());
            case 3:
                return fmt::format("or.b32 %r1, {}, {}; setp.{}.s32 {}, %r1, {};", value(), value(),
                                   below(2) == 0 ? "lt" : "ge", to, 0);
            case 4:
                return fmt::format("setp.{}.and.s32 {}, {}, {}, {};", kNames[below(6)], to, value(), scalar(),
                                   predicate());
            case 5:
                return fmt::format("{} and.b32 %r1, %r1, 7; setp.{}.u32 {}, %r1, {};", loaded(), kNames[below(6)], to,
                                   below(8));
            default:
                return fmt::format("setp.{}.{} {}, {}, {};", kNames[below(6)], below(2) == 0 ? "u32" : "s32", to,
                                   value(), scalar());
        }
    }

    /// Loads from the part of the buffer that is never written, at an address inside for any index.
    std::string load() {
        const std::string index = below(3) == 0 ? fmt::format("rem.u32 %r1, {}, 512;", value())
                                                : fmt::format("and.b32 %r1, {}, 511;", value());
        const std::string scale =
            fmt::format("mul.wide.{} %rd2, %r1, 4; add.s64 %rd3, %in, %rd2;", below(2) == 0 ? "u32" : "s32");
        return fmt::format("{} {} {}ld.global.u32 {}, [%rd3+{}];", index, scale, guard(), value(), 4 * below(16));
    }

    /// Makes addresses without remainders from a few bounded values.
    std::string plain_load() {
        const std::string index = fmt::format("mov.u32 %r1, %tid.{}; mad.lo.u32 %r1, %r1, {}, {};",
                                              below(2) == 0 ? "x" : "y", below(5), below(30));
        const std::string choice =
            below(2) == 0 ? "" : fmt::format("@{} add.u32 %r1, %r1, {};", predicate(), 4 * below(9));
        return fmt::format("{} {} mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %in, %rd2; ld.global.u32 {}, [%rd3];", index,
                           choice, value());
    }

    /// Stores to or loads from the thread's own two words of shared memory, or loads from the part that is never
    /// written.
    std::string shared_access() {
        switch (below(4)) {
            case 0:
                return fmt::format("{}st.shared.u32 [%r30+{}], {};", guard(), 4 * below(2), value());
            case 1:
                return fmt::format("{}ld.shared.u32 {}, [%r30+{}];", guard(), value(), 4 * below(2));
            case 2:
                return fmt::format(
                    "and.b32 %r1, {}, 511; mov.u32 %r62, held; mad.lo.u32 %r1, %r1, 4, %r62;"
                    "ld.shared.u32 {}, [%r1+2048];",
                    value(), value());
            default:
                return fmt::format("{}st.shared.v2.u32 [%r30], {{{}, {}}};", guard(), value(), value());
        }
    }

    /// Ends whole warps, the first one or the others.
    std::string warps_end() {
        return fmt::format(
            "mov.u32 %r1, %tid.z; mov.u32 %r62, %ntid.y; mov.u32 %r63, %tid.y; mad.lo.u32 %r1, %r1, %r62, %r63;\n"
            "mov.u32 %r62, %ntid.x; mov.u32 %r63, %tid.x; mad.lo.u32 %r1, %r1, %r62, %r63;\n"
            "setp.{}.u32 %p14, %r1, 32; @%p14 bra END;\n",
            below(2) == 0 ? "lt" : "ge");
    }

    std::string branch(unsigned depth) {
        const unsigned label = labels_++;
        std::string text = fmt::format("@{} bra E{};\n", predicate(), label) + block(depth + 1);
        if (below(3) == 0) {  // out of the middle
            text += fmt::format("@{} bra J{};\n", predicate(), label) + block(depth + 1);
        }
        text += fmt::format("bra J{};\nE{}:\n", label, label);
        if (below(2) == 0) { text += block(depth + 1); }
        return text + fmt::format("J{}:\n", label);
    }

    /// A few iterations, equal for all threads or not.
    std::string loop(unsigned depth) {
        const unsigned label = labels_++;
        const std::string counter = fmt::format("%r{}", 32 + label % 30);
        const std::string bound = fmt::format("%r{}", 24 + depth);
        std::string text = fmt::format("mov.u32 {}, 0; ", counter);
        switch (below(3)) {
            case 0:
                text += fmt::format("mov.u32 {}, {};\n", bound, 1 + below(3));
                break;
            case 1:
                text += fmt::format("and.b32 {}, {}, 3;\n", bound, value());
                break;
            default:
                text += fmt::format("{} and.b32 {}, %r1, 3;\n", loaded(), bound);
        }
        text += fmt::format("L{}:\n", label) + block(depth + 1);
        if (below(3) == 0) { text += fmt::format("@{} bra X{};\n", predicate(), label); }
        text += fmt::format("add.u32 {}, {}, 1; setp.lt.u32 %p{}, {}, {}; @%p{} bra L{};\nX{}:\n", counter, counter,
                            10 + depth, counter, bound, 10 + depth, label, label);
        return text;
    }

    std::string block(unsigned depth) {
        std::string text;
        for (unsigned i = 0; i < 1 + below(4); ++i) { text += statement(depth); }
        return text;
    }

    std::string statement(unsigned depth) {
        const unsigned kind = below(26);
        if (kind >= 24) { return shared_access() + "\n"; }
        if (kind < 9) { return guard() + arithmetic() + "\n"; }
        if (kind < 13) { return comparison() + "\n"; }
        if (kind < 15) { return load() + "\n"; }
        if (kind < 17) { return plain_load() + "\n"; }
        if (kind < 19) { return fmt::format("{}st.global.u32 [%mine+{}], {};\n", guard(), 4 + 4 * below(3), value()); }
        if (kind == 19 && depth == 0) { return "bar.sync 0;\n"; }
        if (kind == 20 && depth == 0 && below(4) == 0) { return fmt::format("@{} bra END;\n", predicate()); }
        if (kind == 20 && depth == 0 && below(3) == 0) { return warps_end(); }
        if (depth >= 3) { return arithmetic() + "\n"; }
        return kind < 23 ? branch(depth) : loop(depth);
    }

    std::mt19937_64 random_;
    unsigned labels_ = 0;
};

inline constexpr isa::Dim3 kRandomBlocks[] = {{64, 1, 1}, {33, 2, 1}, {5, 9, 1}, {16, 4, 1}, {7, 1, 1}, {8, 3, 4}};
inline constexpr isa::Dim3 kRandomGrids[] = {{2, 1, 1}, {2, 2, 1}, {3, 1, 1}};

}  // namespace lookahead::dac::test
