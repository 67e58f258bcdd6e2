#include "tests/components/frontend/finaliser/random_ptx.h"

#include <fmt/format.h>

#include <random>

namespace lookahead::finaliser::test {

namespace {

class Generator {
  public:
    Generator(std::uint64_t seed, std::uint32_t threads) : random_(seed), threads_(threads) {
        words_ = 3 + below(20);
        wides_ = 2 + below(8);
        floats_ = 2 + below(8);
        halves_ = 1 + below(4);
        predicates_ = 2 + below(4);
    }

    std::string run() {
        prologue();
        statements(10 + below(40), 0);
        epilogue();
        return ".version 9.0\n.target sm_75\n.address_size 64\n"
               ".visible .entry k(.param .u64 out, .param .u32 a, .param .u32 b)\n{\n" +
               declarations() + body_ + "}\n";
    }

  private:
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    bool one_in(unsigned n) { return below(n) == 0; }

    template <typename... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        body_ += "  " + fmt::format(format, std::forward<Args>(args)...) + ";\n";
    }
    void label(unsigned number) { body_ += fmt::format("L{}:\n", number); }

    std::string r() { return fmt::format("%r{}", below(words_)); }
    std::string rd() { return fmt::format("%rd{}", below(wides_)); }
    std::string f() { return fmt::format("%f{}", below(floats_)); }
    std::string h() { return fmt::format("%rs{}", below(halves_)); }
    std::string p() { return fmt::format("%p{}", below(predicates_)); }
    std::string r_or_number() {
        if (one_in(8)) { return std::to_string(below(3)); }
        return one_in(3) ? std::to_string(below(200)) : r();
    }
    std::string guard() { return one_in(6) ? fmt::format("@{}{} ", one_in(2) ? "!" : "", p()) : std::string(); }

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
        for (unsigned i = 0; i < words_; ++i) { line("ld.global.u32 %r{}, [%out+{}]", i, 4 * below(64)); }
        line("ld.param.u32 %r0, [a]");
        line("ld.param.u32 %r1, [b]");
        line("mov.u32 %r2, %ntid.x");
        for (unsigned i = 0; i < wides_; ++i) { line("ld.global.u64 %rd{}, [%out+{}]", i, 8 * below(32)); }
        for (unsigned i = 0; i < floats_; ++i) { line("mov.f32 %f{}, 0f{:08X}", i, 0x3f800000 + below(1 << 23)); }
        for (unsigned i = 0; i < halves_; ++i) { line("ld.global.s16 %rs{}, [%out+{}]", i, 2 * below(32)); }
        for (unsigned i = 0; i < predicates_; ++i) { line("setp.lt.s32 %p{}, {}, {}", i, r(), r()); }
        for (unsigned i = 0; i < 16; ++i) { line("st.shared.u32 [%t1+{}], {}", 4 * i, r()); }
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
        line("ret");
    }

    void statements(unsigned count, unsigned depth) {
        for (unsigned i = 0; i < count; ++i) {
            if (depth < 3 && one_in(10)) {
                branch(depth);
            } else if (depth < 3 && one_in(16)) {
                loop(depth);
            } else {
                statement();
            }
        }
    }

    void branch(unsigned depth) {
        const unsigned other = labels_++;
        const unsigned end = labels_++;
        const bool has_else = one_in(2);
        line("setp.gt.s32 %p0, {}, {}", r(), r());
        line("@{}%p0 bra L{}", one_in(2) ? "!" : "", has_else ? other : end);
        statements(below(8), depth + 1);
        if (has_else) {
            line("bra L{}", end);
            label(other);
            statements(below(8), depth + 1);
        }
        if (one_in(20)) { line("@{} ret", p()); }
        label(end);
    }

    /// Each `depth` has its own counter, which nothing else writes.
    void loop(unsigned depth) {
        const unsigned top = labels_++;
        line("and.b32 %n{}, {}, 3", depth, r());
        label(top);
        statements(1 + below(8), depth + 1);
        line("sub.s32 %n{}, %n{}, 1", depth, depth);
        line("setp.ge.s32 %p1, %n{}, 0", depth);
        line("@%p1 bra L{}", top);
    }

    void statement() {
        switch (below(10)) {
            case 0:
            case 1:
            case 2:
                return word_arithmetic();
            case 3:
                return wide_arithmetic();
            case 4:
                return float_arithmetic();
            case 5:
                return moves();
            case 6:
                return predicates();
            case 7:
                return narrow_arithmetic();
            case 8:
                return loads();
            default:
                return stores();
        }
    }

    void word_arithmetic() {
        static constexpr const char* kBinary[] = {"add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32", "xor.b32",
                                                  "min.s32", "max.u32", "shl.b32",    "shr.u32", "shr.s32"};
        if (one_in(4)) { return line("{}mad.lo.s32 {}, {}, {}, {}", guard(), r(), r(), r_or_number(), r_or_number()); }
        if (one_in(8)) { return line("{}selp.b32 {}, {}, {}, {}", guard(), r(), r_or_number(), r(), p()); }
        if (one_in(8)) {
            return line("{}bfi.b32 {}, {}, {}, {}, {}", guard(), r(), r(), r(), r_or_number(), r_or_number());
        }
        if (one_in(8)) { return line("{}lop3.b32 {}, {}, {}, {}, 0x{:x}", guard(), r(), r(), r(), r(), below(256)); }
        line("{}{} {}, {}, {}", guard(), kBinary[below(11)], r(), r(), r_or_number());
    }

    std::string rd_or_number() { return one_in(3) ? std::to_string(std::uint64_t{below(5)} << below(40)) : rd(); }

    /// All operations on 64-bit integers that are expanded to words.
    void wide_operations() {
        static constexpr const char* kBinary[] = {"add.u64", "sub.s64", "mul.lo.u64", "mul.hi.u64", "mul.hi.s64",
                                                  "and.b64", "or.b64",  "xor.b64",    "min.s64",    "max.u64",
                                                  "min.u64", "max.s64", "sub.u64",    "mul.lo.s64"};
        static constexpr const char* kUnary[] = {"neg.s64", "abs.s64", "not.b64", "brev.b64"};
        static constexpr const char* kShifts[] = {"shl.b64", "shr.u64", "shr.s64"};
        static constexpr const char* kNarrowing[] = {"popc.b64", "clz.b64", "cvt.u32.u64", "cvt.s16.s64"};
        static constexpr const char* kWidening[] = {"cvt.u64.u32", "cvt.s64.s32", "cvt.u64.s32"};
        static constexpr const char* kComparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
        static constexpr const char* kCombines[] = {"and", "or", "xor"};
        const char* const type = one_in(2) ? "s64" : "u64";
        switch (below(10)) {
            case 0:
            case 1:
                return line("{}{} {}, {}, {}", guard(), kBinary[below(14)], rd(), rd(), rd_or_number());
            case 2:
                return line("{}{} {}, {}", guard(), kUnary[below(4)], rd(), rd());
            case 3:
                return line("{}{} {}, {}, {}", guard(), kShifts[below(3)], rd(), rd(),
                            one_in(2) ? std::to_string(below(70)) : r());
            case 4:
                if (const unsigned choice = below(5); choice < 3) {
                    return line("{}{} {}, {}", guard(), kNarrowing[choice], r(), rd());
                }
                return line("{}{} {}, {}", guard(), kNarrowing[3], h(), rd());
            case 5:
                if (const unsigned choice = below(4); choice < 3) {
                    return line("{}{} {}, {}", guard(), kWidening[choice], rd(), r());
                }
                return line("{}cvt.s64.s16 {}, {}", guard(), rd(), h());
            case 6:
                return line("{}setp.{}.{}.{} {}, {}, {}, {}", guard(), kComparisons[below(6)], kCombines[below(3)],
                            type, p(), rd(), rd_or_number(), p());
            case 7:
                return line("{}setp.{}.{} {}, {}, {}", guard(), kComparisons[below(6)], type, p(), rd(),
                            rd_or_number());
            case 8:
                return line("{}selp.b64 {}, {}, {}, {}", guard(), rd(), rd(), rd_or_number(), p());
            default:
                return line("{}mad.lo.{} {}, {}, {}, {}", guard(), type, rd(), rd(), rd_or_number(), rd());
        }
    }

    void wide_arithmetic() {
        if (one_in(2)) { return wide_operations(); }
        switch (below(8)) {
            case 0:
                return line("{}mul.wide.s32 {}, {}, {}", guard(), rd(), r(), r_or_number());
            case 1:
                return line("{}add.s64 {}, {}, {}", guard(), rd(), rd(), one_in(2) ? rd() : std::to_string(below(3)));
            case 2:
                return line("{}cvt.s64.s32 {}, {}", guard(), rd(), r());
            case 3:
                return line("{}cvt.u32.u64 {}, {}", guard(), r(), rd());
            case 4:
                return line("{}mov.b64 {}, {{{}, {}}}", guard(), rd(), r(), r());
            case 5:
                return line("{}mov.b64 {{%r0, %r{}}}, {}", guard(), 1 + below(words_ - 1), rd());
            case 6:
                return line("{}shl.b64 {}, {}, {}", guard(), rd(), rd(), r_or_number());
            default:
                return line("{}mad.wide.u32 {}, {}, {}, {}", guard(), rd(), r(), r(), rd());
        }
    }

    void float_arithmetic() {
        switch (below(4)) {
            case 0:
                return line("{}fma.rn.f32 {}, {}, {}, {}", guard(), f(), f(), f(), f());
            case 1:
                return line("{}add.f32 {}, {}, {}", guard(), f(), f(), f());
            case 2:
                return line("{}mul.f32 {}, {}, 0f3F000000", guard(), f(), f());
            default:
                return line("{}mov.b32 {}, {}", guard(), r(), f());
        }
    }

    void moves() {
        switch (below(5)) {
            case 0:
                return line("{}mov.u32 {}, {}", guard(), r(), r_or_number());
            case 1:
                return line("{}mov.u64 {}, {}", guard(), rd(), one_in(2) ? rd() : std::to_string(below(9)));
            case 2:
                return line("{}mov.f32 {}, {}", guard(), f(), f());
            case 3:
                return line("{}mov.u32 {}, %tid.x", guard(), r());
            default:
                return line("{}ld.param.u32 {}, [{}]", guard(), r(), one_in(2) ? "a" : "b");
        }
    }

    void predicates() {
        switch (below(5)) {
            case 0:
                return line("{}setp.ne.u32 {}, {}, {}", guard(), p(), r(), r_or_number());
            case 1:
                return line("{}setp.le.and.s32 {}, {}, {}, {}", guard(), p(), r(), r(), p());
            case 2:
                return line("{}and.pred {}, {}, {}", guard(), p(), p(), p());
            case 3:
                return line("{}not.pred {}, {}", guard(), p(), p());
            default:
                return line("{}setp.gt.s64 {}, {}, {}", guard(), p(), rd(), rd());
        }
    }

    void narrow_arithmetic() {
        switch (below(5)) {
            case 0:
                return line("{}add.s16 {}, {}, {}", guard(), h(), h(), h());
            case 1:
                return line("{}cvt.u16.u32 {}, {}", guard(), h(), r());
            case 2:
                return line("{}cvt.s32.s16 {}, {}", guard(), r(), h());
            case 3:
                return line("{}mov.b32 {}, {{{}, {}}}", guard(), r(), h(), h());
            default:
                return line("{}mul.wide.u16 {}, {}, {}", guard(), r(), h(), h());
        }
    }

    std::string base() { return one_in(3) ? "%back" : "%out"; }

    void loads() {
        switch (below(6)) {
            case 0:
                return line("{}ld.global.u32 {}, [{}+{}]", guard(), r(), base(), 4 * below(16));
            case 1:
                return line("{}ld.global.u64 {}, [{}+{}]", guard(), rd(), base(), 8 * below(8));
            case 2:
                return line("ld.global.v4.u32 {{%r0, %r1, %r2, %r{}}}, [{}+{}]", words_ > 3 ? 3 + below(words_ - 3) : 0,
                            base(), 16 * below(4));
            case 3:
                return line("{}ld.global.s8 {}, [{}+{}]", guard(), r(), base(), below(64));
            case 4:
                return line("{}ld.shared.u32 {}, [%t1+{}]", guard(), r(), 4 * below(16));
            default:
                return line("ld.shared.v2.f32 {{%f0, %f1}}, [%t1+{}]", 8 * below(8));
        }
    }

    void stores() {
        switch (below(7)) {
            case 0:
                return line("{}st.global.u32 [{}+{}], {}", guard(), base(), 4 * below(16), r_or_number());
            case 1:
                return line("{}st.global.u64 [{}+{}], {}", guard(), base(), 8 * below(8), rd());
            case 2:
                return line("st.global.v4.u32 [{}+{}], {{{}, {}, {}, {}}}", base(), 16 * below(4), r(), r(),
                            r_or_number(), r());
            case 3:
                return line("{}st.global.u8 [{}+{}], {}", guard(), base(), below(64), r());
            case 4:
                return line("{}st.shared.u32 [%t1+{}], {}", guard(), 4 * below(16), r());
            case 5:
                return line("{}atom.shared.add.u32 {}, [%t1+{}], {}", guard(), r(), 4 * below(16), r());
            default:
                return line("{}st.shared.v2.f32 [%t1+{}], {{{}, {}}}", guard(), 8 * below(8), f(), f());
        }
    }

    std::mt19937_64 random_;
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
