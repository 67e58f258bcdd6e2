#include "tests/components/frontend/finaliser/random_ptx.h"

#include <fmt/format.h>

#include "tests/support/random_text.h"

namespace lookahead::finaliser::test {

namespace {

using lookahead::test::RandomText;

/// All statements may have a guard, except those that write several registers.
const RandomText::Names kNames = {
    {"guard", {"", "", "", "", "", "@<|!><p> "}},
    {"word or number", {"<0..2>", "<0..199>", "<0..199>", "<r>", "<r>", "<r>", "<r>", "<r>"}},
    {"wide or number",
     {"<rd>", "<rd>", "<rd>", "<rd>", "<0..4>", "<255|65536|4294967295|4294967296|12884901888|2199023255552>"}},
    {"comparison", {"<eq|ne|lt|le|gt|ge>"}},
    {"base", {"%back", "%out", "%out"}},
    {"statement",
     {"<word>", "<word>", "<word>", "<wide>", "<float>", "<move>", "<predicate>", "<narrow>", "<load>", "<store>"}},
    {"word",
     {"<guard>mad.lo.s32 <r>, <r>, <word or number>, <word or number>", "<product>", "<binary>", "<binary>", "<binary>",
      "<guard>selp.b32 <r>, <word or number>, <r>, <p>",
      "<guard>bfi.b32 <r>, <r>, <r>, <word or number>, <word or number>",
      "<guard>lop3.b32 <r>, <r>, <r>, <r>, <0..255>"}},
    {"product", {"<guard>mad.lo.s32 <r>, <r>, <r>, <word or number>"}},
    {"binary",
     {"<guard><add.s32|sub.s32|mul.lo.s32|and.b32|or.b32|xor.b32|min.s32|max.u32|shl.b32|shr.u32|shr.s32> <r>, <r>, "
      "<word or number>"}},
    {"wide", {"<expanded>", "<partly wide>"}},
    {"partly wide",
     {"<guard>mul.wide.s32 <rd>, <r>, <word or number>", "<guard>add.s64 <rd>, <rd>, <wide or number>",
      "<guard>cvt.s64.s32 <rd>, <r>", "<guard>cvt.u32.u64 <r>, <rd>", "<guard>mov.b64 <rd>, {<r>, <r>}",
      "<guard>mov.b64 {%r0, <r from 1>}, <rd>", "<guard>shl.b64 <rd>, <rd>, <word or number>",
      "<guard>mad.wide.u32 <rd>, <r>, <r>, <rd>"}},
    // All operations on 64-bit integers that are expanded to words.
    {"expanded",
     {"<wide binary>", "<wide binary>", "<guard><neg.s64|abs.s64|not.b64|brev.b64> <rd>, <rd>",
      "<guard><shl.b64|shr.u64|shr.s64> <rd>, <rd>, <0..69>", "<guard><shl.b64|shr.u64|shr.s64> <rd>, <rd>, <r>",
      "<guard><popc.b64|clz.b64|cvt.u32.u64> <r>, <rd>", "<guard>cvt.s16.s64 <h>, <rd>",
      "<guard><cvt.u64.u32|cvt.s64.s32|cvt.u64.s32> <rd>, <r>", "<guard>cvt.s64.s16 <rd>, <h>",
      "<guard>setp.<comparison>.<and|or|xor>.<s64|u64> <p>, <rd>, <wide or number>, <p>",
      "<guard>setp.<comparison>.<s64|u64> <p>, <rd>, <wide or number>",
      "<guard>selp.b64 <rd>, <rd>, <wide or number>, <p>",
      "<guard>mad.lo.<s64|u64> <rd>, <rd>, <wide or number>, <rd>"}},
    {"wide binary",
     {"<guard><add.u64|sub.s64|sub.u64|mul.lo.u64|mul.lo.s64|mul.hi.u64|mul.hi.s64|and.b64|or.b64|xor.b64> <rd>, <rd>, "
      "<wide or number>",
      "<guard><min|max>.<s64|u64> <rd>, <rd>, <wide or number>"}},
    {"float",
     {"<guard>fma.rn.f32 <f>, <f>, <f>, <f>", "<guard>add.f32 <f>, <f>, <f>", "<guard>mul.f32 <f>, <f>, 0f3F000000",
      "<guard>mov.b32 <r>, <f>"}},
    {"move",
     {"<guard>mov.u32 <r>, <word or number>", "<guard>mov.u64 <rd>, <wide or number>", "<guard>mov.f32 <f>, <f>",
      "<guard>mov.u32 <r>, %tid.x", "<guard>ld.param.u32 <r>, [<a|b>]"}},
    {"predicate",
     {"<guard>setp.ne.u32 <p>, <r>, <word or number>", "<guard>setp.le.and.s32 <p>, <r>, <r>, <p>",
      "<guard>and.pred <p>, <p>, <p>", "<guard>not.pred <p>, <p>", "<guard>setp.gt.s64 <p>, <rd>, <rd>"}},
    {"narrow",
     {"<guard>add.s16 <h>, <h>, <h>", "<guard>cvt.u16.u32 <h>, <r>", "<guard>cvt.s32.s16 <r>, <h>",
      "<guard>mov.b32 <r>, {<h>, <h>}", "<guard>mul.wide.u16 <r>, <h>, <h>"}},
    {"load",
     {"<guard>ld.global.u32 <r>, [<base>+<0..15*4>]", "<guard>ld.global.u64 <rd>, [<base>+<0..7*8>]",
      "ld.global.v4.u32 {%r0, %r1, %r2, <r from 3>}, [<base>+<0..3*16>]", "<guard>ld.global.s8 <r>, [<base>+<0..63>]",
      "<guard>ld.shared.u32 <r>, [%t1+<0..15*4>]", "ld.shared.v2.f32 {%f0, %f1}, [%t1+<0..7*8>]"}},
    {"store",
     {"<guard>st.global.u32 [<base>+<0..15*4>], <word or number>", "<guard>st.global.u64 [<base>+<0..7*8>], <rd>",
      "st.global.v4.u32 [<base>+<0..3*16>], {<r>, <r>, <word or number>, <r>}",
      "<guard>st.global.u8 [<base>+<0..63>], <r>", "<guard>st.shared.u32 [%t1+<0..15*4>], <r>",
      "<guard>atom.shared.add.u32 <r>, [%t1+<0..15*4>], <r>", "<guard>st.shared.v2.f32 [%t1+<0..7*8>], {<f>, <f>}"}}};

class Generator {
  public:
    Generator(std::uint64_t seed, std::uint32_t threads) : random_(seed, kNames), threads_(threads) {
        words_ = 4 + below(19);
        wides_ = 2 + below(8);
        floats_ = 2 + below(8);
        halves_ = 1 + below(4);
        predicates_ = 2 + below(4);
        random_.names["r"] = {fmt::format("%r<0..{}>", words_ - 1)};
        random_.names["r from 1"] = {fmt::format("%r<1..{}>", words_ - 1)};
        random_.names["r from 3"] = {fmt::format("%r<3..{}>", words_ - 1)};
        random_.names["rd"] = {fmt::format("%rd<0..{}>", wides_ - 1)};
        random_.names["f"] = {fmt::format("%f<0..{}>", floats_ - 1)};
        random_.names["h"] = {fmt::format("%rs<0..{}>", halves_ - 1)};
        random_.names["p"] = {fmt::format("%p<0..{}>", predicates_ - 1)};
    }

    std::string run() {
        prologue();
        if (random_.one_in(4)) {
            turns();
        } else {
            statements(10 + below(40), 0);
            epilogue();
            line("ret");
        }
        return ".version 9.0\n.target sm_75\n.address_size 64\n"
               ".visible .entry k(.param .u64 out, .param .u32 a, .param .u32 b)\n{\n" +
               declarations() + body_ + "}\n";
    }

  private:
    unsigned below(unsigned n) { return random_.below(n); }

    /// The format's arguments go into the pattern.
    template <typename... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        body_ += "  " + random_.fill(fmt::format(format, std::forward<Args>(args)...)) + ";\n";
    }
    void label(unsigned number) { body_ += fmt::format("L{}:\n", number); }

    std::string declarations() const {
        return fmt::format(
            "  .reg .b32 %r<{}>;\n  .reg .b64 %rd<{}>;\n  .reg .f32 %f<{}>;\n  .reg .b16 %rs<{}>;\n"
            "  .reg .pred %p<{}>;\n  .reg .b32 %t<3>;\n  .reg .b32 %n<8>;\n  .reg .b64 %out;\n  .reg .b64 %back;\n"
            "  .shared .align 16 .b8 unused[16];\n  .shared .align 16 .b8 own[{}];\n",
            words_, wides_, floats_, halves_, predicates_, 64 * threads_);
    }

    void prologue() {
        line("ld.param.u64 %rd0, [out]");
        line("cvta.to.global.u64 %out, %rd0");
        line("mov.u32 %t0, %tid.x");
        line("mul.wide.u32 %rd1, %t0, {}", kThreadBytes);
        line("add.s64 %out, %out, %rd1");
        line("add.s64 %back, %out, 64");
        line("shl.b32 %t1, %t0, 6");
        line("mov.u32 %t2, own");
        line("add.s32 %t1, %t1, %t2");
        for (unsigned i = 0; i < words_; ++i) { line("ld.global.u32 %r{}, [%out+<0..63*4>]", i); }
        line("ld.param.u32 %r0, [a]");
        line("ld.param.u32 %r1, [b]");
        line("mov.u32 %r2, %ntid.x");
        for (unsigned i = 0; i < wides_; ++i) { line("ld.global.u64 %rd{}, [%out+<0..31*8>]", i); }
        for (unsigned i = 0; i < floats_; ++i) { line("mov.f32 %f{}, 0f{:08X}", i, 0x3f800000 + below(1 << 23)); }
        for (unsigned i = 0; i < halves_; ++i) { line("ld.global.s16 %rs{}, [%out+<0..31*2>]", i); }
        for (unsigned i = 0; i < predicates_; ++i) { line("setp.lt.s32 %p{}, <r>, <r>", i); }
        for (unsigned i = 0; i < 16; ++i) { line("st.shared.u32 [%t1+{}], <r>", 4 * i); }
    }

    void epilogue() {
        for (unsigned i = 0; i < words_; ++i) { line("st.global.u32 [%out+{}], %r{}", 256 + 4 * i, i); }
        for (unsigned i = 0; i < wides_; ++i) { line("st.global.u64 [%out+{}], %rd{}", 512 + 8 * i, i); }
        for (unsigned i = 0; i < floats_; ++i) { line("st.global.f32 [%out+{}], %f{}", 640 + 4 * i, i); }
        for (unsigned i = 0; i < halves_; ++i) { line("st.global.u16 [%out+{}], %rs{}", 704 + 2 * i, i); }
        for (unsigned i = 0; i < predicates_; ++i) {
            line("selp.u32 %t0, 1, 0, %p{}", i);
            line("st.global.u32 [%out+{}], %t0", 768 + 4 * i);
        }
        for (unsigned i = 0; i < 16; ++i) {
            line("ld.shared.u32 %t0, [%t1+{}]", 4 * i);
            line("st.global.u32 [%out+{}], %t0", 832 + 4 * i);
        }
    }

    /// A loop whose end, with the kernel's only way out, stands before its beginning, as LLVM may place it; the threads
    /// meet in each turn.
    void turns() {
        const unsigned body = labels_++;
        const unsigned end = labels_++;
        const unsigned other = labels_++;
        line("mov.u32 %n7, 0");
        line("bra L{}", body);
        label(end);
        line("bar.sync 0");
        epilogue();
        line("add.u32 %n7, %n7, 1");
        line("setp.ge.u32 %p1, %n7, 2");
        line("@%p1 ret");
        label(body);
        statements(5 + below(20), 0);
        line("setp.gt.s32 %p0, <r>, <r>");
        line("@%p0 bra L{}", other);
        statements(5 + below(20), 0);
        line("bra L{}", end);
        label(other);
        statements(below(8), 1);
        line("bra L{}", end);
    }

    void statements(unsigned count, unsigned depth) {
        for (unsigned i = 0; i < count; ++i) {
            if (depth < 3 && random_.one_in(10)) {
                branch(depth);
            } else if (depth < 3 && random_.one_in(16)) {
                loop(depth);
            } else {
                line("<statement>");
            }
        }
    }

    void branch(unsigned depth) {
        const unsigned other = labels_++;
        const unsigned end = labels_++;
        const bool has_else = random_.one_in(2);
        line("setp.gt.s32 %p0, <r>, <r>");
        line("@<|!>%p0 bra L{}", has_else ? other : end);
        statements(below(8), depth + 1);
        if (has_else) {
            line("bra L{}", end);
            label(other);
            statements(below(8), depth + 1);
        }
        if (random_.one_in(20)) { line("@<p> ret"); }
        label(end);
    }

    /// Each `depth` has its own counter, which nothing else writes.
    void loop(unsigned depth) {
        const unsigned top = labels_++;
        line("and.b32 %n{}, <r>, 3", depth);
        label(top);
        statements(1 + below(8), depth + 1);
        line("sub.s32 %n{}, %n{}, 1", depth, depth);
        line("setp.ge.s32 %p1, %n{}, 0", depth);
        line("@%p1 bra L{}", top);
    }

    RandomText random_;
    std::uint32_t threads_;
    unsigned words_, wides_, floats_, halves_, predicates_;
    unsigned labels_ = 0;
    std::string body_;
};

}  // namespace

std::string random_ptx(std::uint64_t seed, std::uint32_t threads) {
    return Generator(seed, threads).run();
}

std::vector<std::byte> memory_after(Device& device, std::uint64_t seed, std::uint32_t threads) {
    std::mt19937_64 random(seed);
    std::vector<std::byte> memory(kThreadBytes * threads);
    for (std::byte& byte : memory) { byte = static_cast<std::byte>(random()); }
    const DeviceAddress out = device.upload(memory);
    device.launch("k", {{1}, {threads}},
                  pack_parameters(out, static_cast<std::uint32_t>(seed * 7), std::uint32_t(seed & 1 ? 3 : -5)));
    return device.download<std::byte>(out, memory.size());
}

}  // namespace lookahead::finaliser::test
