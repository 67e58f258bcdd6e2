// Each rule of packing straight-line code, from both sides (Crago et al., TACO 2018, sections 4 and 5.2). Every kernel
// runs with and without the pass (bench.h).
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <functional>

#include "tests/functional/vecmem/bench.h"

using namespace lookahead;
using namespace lookahead::vecmem::test;

namespace {

using Reasons = std::set<std::string>;

std::string each(unsigned count, const std::function<std::string(unsigned)>& text) {
    std::string all;
    for (unsigned i = 0; i < count; ++i) { all += text(i); }
    return all;
}

/// Loads to %r10, %r11, ..., from the addresses that `address` gives; all results are used.
std::string loads(unsigned count, const std::function<std::string(unsigned)>& address,
                  const std::string& mnemonic = "ld.global.u32") {
    return each(count, [&](unsigned i) { return fmt::format("{} %r{}, [{}];\n", mnemonic, 10 + i, address(i)); }) +
           "mov.u32 %r1, 0;\n" +
           each(count, [](unsigned i) { return fmt::format("mad.lo.u32 %r1, %r1, 3, %r{};\n", 10 + i); }) +
           "st.global.u32 [%mine+1020], %r1;\n";
}

std::string at(int byte) {
    return fmt::format("%mine+{}", byte);
}

/// Words of memory that no vector loads, masked with `mask`, in %r10, %r11, ...
std::string indices(unsigned count = 4, unsigned mask = 63) {
    return each(count, [mask](unsigned i) {
        return fmt::format("ld.global.u32 %r{0}, [%mine+{1}]; and.b32 %r{0}, %r{0}, {2};\n", 10 + i, 12 * i * i, mask);
    });
}

/// Sets %rd10 + i to the base plus as many words as %r10 + i holds.
std::string address(unsigned i, const std::string& base = "%mine", const std::string& wide = "mul.wide.s32") {
    return fmt::format("{1} %rd{0}, %r{0}, 4; add.s64 %rd{0}, {2}, %rd{0};\n", 10 + i, wide, base);
}

std::string addresses(const std::string& base = "%mine", const std::string& wide = "mul.wide.s32", unsigned count = 4) {
    return each(count, [&](unsigned i) { return address(i, base, wide); });
}

std::string pointer(unsigned i) {
    return fmt::format("%rd{}", 10 + i);
}

/// Stores of %r10, %r11, ..., or from register `first` on, at varying distances.
std::string stored(unsigned first = 10) {
    return each(4, [first](unsigned i) {
        return fmt::format("st.global.u32 [%mine+{}], %r{};\n", 400 + 64 * i * i, first + i);
    });
}

const std::string kSumOfFour =
    "add.u32 %r10, %r10, %r11; mad.lo.u32 %r10, %r12, 5, %r10; mad.lo.u32 %r10, %r13, 7, %r10;\n"
    "st.global.u32 [%mine+800], %r10;\n";

}  // namespace

TEST_CASE("as many loads at one distance as the length become one instruction, one less do not") {
    for (const unsigned length : {4U, 8U, 16U}) {
        CAPTURE(length);
        const auto text = std::to_string(length);
        const Outcome packed = run(loads(length, [](unsigned i) { return at(static_cast<int>(12 * i)); }), text);
        CHECK(packed.count(fmt::format("LD.STRIDE.GLOBAL.V{}.B32", length)) == 1);
        CHECK(packed.count("LD.GLOBAL") == 0);
        CHECK(packed.executed == 2);
        const Outcome few = run(loads(length - 1, [](unsigned i) { return at(static_cast<int>(12 * i)); }), text);
        CHECK(few.count("LD.STRIDE") == 0);
        CHECK(few.reasons() == Reasons{"alone"});
    }
}

TEST_CASE("best is the longest that can be had, and shorter ones for the rest") {
    const Outcome outcome = run(loads(29, [](unsigned i) { return at(static_cast<int>(4 * i)); }), "best");
    CHECK(outcome.count("LD.STRIDE.GLOBAL.V16") == 1);
    CHECK(outcome.count("LD.STRIDE.GLOBAL.V8") == 1);
    CHECK(outcome.count("LD.STRIDE.GLOBAL.V4") == 1);
    CHECK(outcome.count("LD.GLOBAL") == 1);
    const Outcome four = run(loads(29, [](unsigned i) { return at(static_cast<int>(4 * i)); }), "4");
    CHECK(four.count("LD.STRIDE.GLOBAL.V4") == 7);
}

TEST_CASE("strides have both signs, and elements any order in the program") {
    CHECK(run(loads(4, [](unsigned i) { return at(400 - 20 * static_cast<int>(i)); })).count("LD.STRIDE") == 1);
    const unsigned order[] = {2, 0, 3, 1};
    CHECK(run(loads(4, [&](unsigned i) { return at(static_cast<int>(8 * order[i])); })).count("LD.STRIDE") == 1);
    CHECK(run(loads(4, [&](unsigned i) { return at(static_cast<int>(i == 3 ? 40 : 8 * i)); })).count("LD.STRIDE") == 0);
}

TEST_CASE("a stride has 32 bits") {
    // Never executed: the addresses are outside the buffer.
    const auto body = [](const char* stride) {
        return fmt::format("setp.eq.u32 %p1, %a, 0;\n@%p1 bra END;\nmov.u64 %rd1, %mine;\n") +
               each(4,
                    [&](unsigned i) {
                        return fmt::format("ld.global.u32 %r{}, [%rd1]; add.s64 %rd1, %rd1, {};\n", 10 + i, stride);
                    }) +
               stored() + "END:\n";
    };
    CHECK(run(body("8589934588")).count("LD.STRIDE") == 1);  // 2^31 - 1 elements
    CHECK(run(body("8589934592")).count("LD.STRIDE") == 1);  // from the last on
    CHECK(run(body("8589934596")).count("LD.STRIDE") == 0);
    CHECK(run(body("-8589934592")).count("LD.STRIDE") == 1);
    CHECK(run(body("-8589934596")).count("LD.STRIDE") == 0);
}

TEST_CASE("an unknown stride is a signed word of elements") {
    const auto body = [](const char* wide) {
        return fmt::format("{} mov.u64 %rd2, %mine;\n", wide) +
               each(4,
                    [](unsigned i) {
                        return fmt::format("ld.global.u32 %r{}, [%rd2]; add.s64 %rd2, %rd2, %rd1;\n", 10 + i);
                    }) +
               stored();
    };
    for (const std::uint32_t a : {0U, 5U, 0xfffffffbU}) {
        const Outcome outcome = run(body("mul.wide.s32 %rd1, %a, 4;"), "4", a);
        CHECK(outcome.count("LD.STRIDE") == 1);
        CHECK(outcome.executed == 2);
    }
    CHECK(run(body("mul.wide.u32 %rd1, %a, 4;"), "4", 5).count("LD.STRIDE") == 0);
    CHECK(run(body("mul.wide.s32 %rd1, %a, 8;"), "4", 5).count("LD.STRIDE") == 0);
    // In shared memory addresses have 32 bits; their upper half has no effect.
    const std::string shared =
        "mov.u32 %r2, tile; shl.b32 %r3, %a, 2;\n" +
        each(4, [](unsigned i) { return fmt::format("st.shared.u32 [%r2], %gid; add.u32 %r2, %r2, %r3;\n", i); }) +
        "st.global.u32 [%mine], %r2;\n";
    CHECK(run(shared, "4", 9).count("ST.STRIDE.SHARED") == 1);
}

TEST_CASE("an unknown stride may be taken several times, where what wraps around is not seen") {
    // In shared memory, rows of 33 words; in global memory the product might exceed 32 bits.
    const auto shared = [](unsigned bytes) {
        return fmt::format("mov.u32 %r2, tile; mul.lo.u32 %r3, %a, {}; mov.u32 %r5, 0;\n", bytes) +
               each(4,
                    [](unsigned i) {
                        return fmt::format("add.u32 %r4, %gid, {}; st.shared.u32 [%r2], %r4; add.u32 %r2, %r2, %r3;\n",
                                           i);
                    }) +
               fmt::format("mov.u32 %r2, tile; shl.b32 %r3, %a, 2;\n");
    };
    const std::string sum = "ld.shared.u32 %r6, [tile+132]; st.global.u32 [%mine], %r6;\n";
    for (const std::uint32_t a : {0U, 1U, 2U, 0xc1f07c2U}) {
        CAPTURE(a);
        CHECK(run(shared(132) + sum, "4", a == 0xc1f07c2U ? 1 : a).count("ST.STRIDE.SHARED") == 1);
    }
    CHECK(run(shared(130) + sum, "4", 2).count("ST.STRIDE.SHARED") == 0);
    const std::string global =
        "mul.wide.s32 %rd1, %a, 12; mov.u64 %rd2, %mine;\n" + each(4, [](unsigned i) {
            return fmt::format("add.u32 %r2, %gid, {}; st.global.u32 [%rd2], %r2; add.s64 %rd2, %rd2, %rd1;\n", i);
        });
    CHECK(run(global, "4", 5).count("ST.STRIDE") == 0);
}

TEST_CASE("loads by indices that a vector has brought take them in its order, and stores in the program's") {
    const std::string from_vector =
        each(4, [](unsigned i) { return fmt::format("st.global.u32 [%mine+{}], {};\n", 4 * i, i % 2); }) +
        "membar.cta;\n" +
        each(4, [](unsigned i) { return fmt::format("ld.global.u32 %r{}, [%mine+{}];\n", 10 + i, 4 * i); });
    const auto turned = [&](const char* access) {
        return each(4, [&](unsigned i) {
            const unsigned element = (i + 1) % 4;
            return fmt::format("mul.wide.s32 %rd{0}, %r{0}, 4; add.s64 %rd{0}, %mine, %rd{0};\n", 10 + element) +
                   fmt::format(fmt::runtime(access), 10 + element, 20 + element);
        });
    };
    const Outcome loads = run(from_vector + turned("ld.global.u32 %r{1}, [%rd{0}+64];\n") + stored(20));
    CHECK(loads.count("LD.INDIRECT.GLOBAL.V4") == 1);
    CHECK(loads.text().find("MOV", loads.text().find("LD.STRIDE")) == std::string::npos);
    const Outcome stores = run(from_vector + turned("add.u32 %r{1}, %gid, {0}; st.global.u32 [%rd{0}+64], %r{1};\n"));
    CHECK(stores.count("ST.INDIRECT.GLOBAL.V4") == 1);
}

TEST_CASE("what stands in the way of an operand's value is behind it") {
    // The stride is computed between the first and the second load, and its register is reused.
    const Outcome outcome =
        run("ld.global.u32 %r10, [%mine]; add.s32 %r2, %a, 3; mul.wide.s32 %rd1, %r2, 4; add.s64 %rd2, %mine, %rd1;\n"
            "mov.u32 %r3, %r2; mul.lo.u32 %r2, %r2, 77; ld.global.u32 %r11, [%rd2]; add.s64 %rd2, %rd2, %rd1;\n"
            "ld.global.u32 %r12, [%rd2]; add.s64 %rd2, %rd2, %rd1; ld.global.u32 %r13, [%rd2];\n"
            "add.u32 %r10, %r10, %r11; mad.lo.u32 %r10, %r12, 5, %r10; mad.lo.u32 %r10, %r13, 7, %r10;\n"
            "add.u32 %r10, %r10, %r2; st.global.u32 [%mine+800], %r10; st.global.u32 [%mine+808], %r3;\n",
            "4", 2);
    CHECK(outcome.count("LD.STRIDE") == 1);
    CHECK(outcome.executed == 2);
}

TEST_CASE("of stores to one place the program's last stays") {
    const auto body = [](const char* sign) {
        return std::string("mul.wide.s32 %rd1, %a, 4; mov.u64 %rd2, %mine;\n") +
               (sign[0] == '-' ? "mul.lo.s64 %rd3, %rd1, 3; add.s64 %rd2, %rd2, %rd3; neg.s64 %rd1, %rd1;\n" : "") +
               each(4, [](unsigned i) {
                   return fmt::format("add.u32 %r2, %gid, {}; st.global.u32 [%rd2], %r2; add.s64 %rd2, %rd2, %rd1;\n",
                                      i);
               });
    };
    const Outcome up = run(body("+"), "4", 0);  // all to one place
    CHECK(up.count("ST.STRIDE") == 1);
    CHECK(run(body("+"), "4", 0xfffffffeU).executed == 2);
    // From the last place backwards: the elements' order would differ from the program's.
    const std::string down =
        "mul.wide.s32 %rd1, %a, 4; add.s64 %rd2, %mine, %rd1; add.s64 %rd3, %rd2, %rd1; add.s64 %rd4, %rd3, %rd1;\n"
        "st.global.u32 [%rd4], 1; st.global.u32 [%rd3], 2; st.global.u32 [%rd2], 3; st.global.u32 [%mine], %gid;\n";
    CHECK(run(down, "4", 0).count("ST.STRIDE") == 0);
    // With a known stride they are apart in any order.
    CHECK(run("st.global.u32 [%mine+24], 1; st.global.u32 [%mine+16], 2; st.global.u32 [%mine+8], 3;"
              "st.global.u32 [%mine], %gid;")
              .count("ST.STRIDE") == 1);
}

TEST_CASE("indices from memory, signed and of elements") {
    const auto body = [](const char* wide, unsigned count = 4) {
        return indices(count) + addresses("%mine", wide, count) +
               loads(count, [](unsigned i) { return pointer(i) + "+8"; });
    };
    const Outcome outcome = run(body("mul.wide.s32"));
    CHECK(outcome.count("LD.INDIRECT.GLOBAL.V4") == 1);
    CHECK(outcome.executed == 2);
    CHECK(run(body("mul.wide.s32", 3)).count("LD.INDIRECT") == 0);
    CHECK(run(body("mul.wide.u32")).count("LD.INDIRECT") == 0);
    std::string fields = body("mul.wide.s32");
    for (std::size_t at = 0; (at = fields.find(", 4; add", at)) != std::string::npos;) {
        fields.replace(at, 4, ", 8;");
    }
    CHECK(run(fields).count("LD.INDIRECT") == 0);
}

TEST_CASE("vectors of one memory or of one pattern alone, where no others are wanted") {
    const std::string body =
        each(4,
             [](unsigned i) {
                 return fmt::format("ld.global.s32 %r{0}, [%mine+{1}]; and.b32 %r{0}, %r{0}, 63;\n", 10 + i, 8 * i);
             }) +
        "mov.u32 %r2, tile; mov.u32 %r3, %gid; mad.lo.u32 %r2, %r3, 64, %r2;\n" +
        each(4, [](unsigned i) { return fmt::format("st.shared.u32 [%r2+{}], %r{};\n", 4 * i, 10 + i); }) +
        addresses() + loads(4, [](unsigned i) { return pointer(i) + "+8"; });
    struct Case {
        const char* kinds;
        unsigned loads, stores, indirect;
        bool says_kind;
    };
    for (const Case& each : {Case{"", 1, 1, 1, false},
                             {" spaces=global", 1, 0, 1, true},
                             {" spaces=shared", 0, 1, 0, true},
                             {" patterns=strided", 1, 1, 0, false},
                             {" patterns=indirect", 0, 0, 1, false},
                             {" spaces=shared patterns=indirect", 0, 0, 0, true}}) {
        const std::string kinds = each.kinds;
        CAPTURE(kinds);
        const Outcome outcome = run(body, "4" + kinds);
        CHECK(outcome.count("LD.STRIDE.GLOBAL") == each.loads);
        CHECK(outcome.count("ST.STRIDE.SHARED") == each.stores);
        CHECK(outcome.count("LD.INDIRECT.GLOBAL") == each.indirect);
        CHECK(outcome.reasons().contains("kind") == each.says_kind);
    }
}

TEST_CASE("a base may need one more sum, and not two") {
    const auto body = [](const std::string& base) { return base + indices() + addresses("%rd1") + loads(4, pointer); };
    const std::string value =
        "mul.wide.s32 %rd1, %a, 8; mul.wide.s32 %rd2, %b, 12; add.s64 %rd1, %mine, %rd1; add.s64 %rd1, %rd1, %rd2;\n";
    const Outcome at_hand = run(body(value), "4", 2, 1);  // the sum is in a register
    CHECK(at_hand.count("LD.INDIRECT") == 1);
    CHECK(at_hand.executed == 2);
    const auto turned = [](const char* first, const char* second) {
        return "mul.wide.s32 %rd1, %a, 8; mul.wide.s32 %rd2, %b, 12;\n" + indices() +
               each(
                   4,
                   [&](unsigned i) {
                       return fmt::format(
                           "mul.wide.s32 %rd{0}, %r{0}, 4; add.s64 %rd{0}, %rd{0}, {1}; add.s64 %rd{0}, %rd{0}, {2};\n",
                           10 + i, first, second);
                   }) +
               loads(4, pointer);
    };
    CHECK(run(turned("%rd1", "%out"), "4", 2, 1).count("LD.INDIRECT") == 1);
    const Outcome outcome = run(turned("%rd1", "%mine"), "4", 2, 1);
    CHECK(outcome.count("LD.INDIRECT") == 0);
    CHECK(outcome.reasons().contains("address"));
}

TEST_CASE("indirect stores keep the program's order at one place") {
    const Outcome outcome = run(indices(4, 1) + each(4, [](unsigned i) {
                                    return address(i) + fmt::format("st.global.u32 [%rd{}+64], {};\n", 10 + i, 100 + i);
                                }));
    CHECK(outcome.count("ST.INDIRECT.GLOBAL.V4") == 1);
}

TEST_CASE("a sum of words that may wrap around is no distance") {
    const auto body = [](unsigned step) {
        return "add.s32 %r2, %gid, 5;\n" +
               each(4,
                    [&](unsigned i) { return fmt::format("add.s32 %r{}, %r2, {}; ", 10 + i, step * i) + address(i); }) +
               loads(4, pointer);
    };
    const Outcome outcome = run(body(3));
    CHECK(outcome.count("LD.STRIDE") == 0);
    CHECK(outcome.count("LD.INDIRECT") == 1);  // the words themselves are indices
    // With 32-bit addresses nothing is extended.
    CHECK(run("mov.u32 %r2, tile; mad.lo.s32 %r2, %gid, 64, %r2; mov.u32 %r3, 1;\n" +
              each(4, [](unsigned i) { return fmt::format("st.shared.u32 [%r2+{}], {};\n", 4 * i, i); }) +
              loads(
                  4, [](unsigned i) { return fmt::format("%r2+{}", 4 * i); }, "ld.shared.u32"))
              .count("LD.STRIDE.SHARED") == 1);
}

TEST_CASE("what is not 32 bits of global or shared memory, masked or ordered stays") {
    const auto reason = [](const std::string& mnemonic, const std::string& base = "%mine") {
        const Outcome outcome = run(loads(
            4, [&](unsigned i) { return fmt::format("{}+{}", base, 8 * i); }, mnemonic));
        CHECK(outcome.count("LD.STRIDE") == 0);
        Reasons reasons = outcome.reasons();
        reasons.erase("alone");
        return reasons;
    };
    CHECK(reason("ld.u32") == Reasons{"space"});
    CHECK(reason("ld.const.u32", "table") == Reasons{"space"});
    CHECK(reason("ld.volatile.global.u32") == Reasons{"order"});
    CHECK(reason("ld.relaxed.gpu.global.u32") == Reasons{"order"});
    CHECK(reason("ld.global.u8") == Reasons{"width"});
    CHECK(reason("setp.eq.u32 %p1, %gid, 3;\n@%p1 ld.global.u32") == Reasons{"guard"});
    CHECK(run(loads(
                  4, [](unsigned i) { return at(static_cast<int>(8 * i)); }, "ld.global.nc.u32"))
              .count("LD.STRIDE") == 1);
}

TEST_CASE("masked loads leave the masked lanes' registers alone") {
    const Outcome outcome = run(
        "setp.lt.u32 %p1, %gid, 20;\n" + each(4, [](unsigned i) { return fmt::format("mov.u32 %r{}, 9;\n", 10 + i); }) +
        each(4, [](unsigned i) { return fmt::format("@%p1 ld.global.u32 %r{}, [%mine+{}];\n", 10 + i, 4 * i); }) +
        stored());
    CHECK(outcome.reasons().contains("guard"));
}

TEST_CASE("a store that may be to the same place stands between") {
    const auto body = [](const char* place) {
        return std::string("mul.wide.s32 %rd1, %a, 4; add.s64 %rd1, %mine, %rd1;\n") +
               "ld.global.u32 %r10, [%mine]; ld.global.u32 %r11, [%mine+4];\n" +
               fmt::format("st.global.u32 [{}], %gid;\n", place) +
               "ld.global.u32 %r12, [%mine+8]; ld.global.u32 %r13, [%mine+12];\n" + kSumOfFour;
    };
    const Outcome unknown = run(body("%rd1"), "4", 2);
    CHECK(unknown.count("LD.STRIDE") == 0);
    CHECK(unknown.reasons().contains("alias"));
    CHECK(run(body("%mine+16")).count("LD.STRIDE") == 1);
    CHECK(run(body("%mine-4")).count("LD.STRIDE") == 1);
    // Before it or after it everything can move.
    CHECK(run(body("%mine+4")).count("LD.STRIDE") == 1);
    CHECK(run(body("%mine+12")).count("LD.STRIDE") == 1);
    const auto across = [](const char* store) {
        return std::string("mov.u32 %r2, 5; ld.global.u32 %r10, [%mine]; ld.global.u32 %r12, [%mine+8];\n") + store +
               "ld.global.u32 %r11, [%mine+4]; ld.global.u32 %r13, [%mine+12];\n" + kSumOfFour;
    };
    CHECK(run(across("st.global.v2.u32 [%mine+8], {%gid, %r2};\n")).reasons().contains("alias"));
    CHECK(run(across("st.global.v2.u32 [%mine+16], {%gid, %r2};\n")).count("LD.STRIDE") == 1);
    CHECK(run(across("st.global.v2.u32 [%mine-8], {%gid, %r2};\n")).count("LD.STRIDE") == 1);
    // Different state spaces never overlap.
    CHECK(run(across("st.shared.v2.u32 [tile+8], {%gid, %r2};\n")).count("LD.STRIDE") == 1);
    CHECK(run(across("st.v2.u32 [%mine+8], {%gid, %r2};\n")).reasons().contains("alias"));
}

TEST_CASE("a load that may be from the same place stands between stores") {
    const auto body = [](const char* place) {
        return std::string("st.global.u32 [%mine], 1; st.global.u32 [%mine+4], 2; st.global.u32 [%mine+8], 3;\n") +
               fmt::format("ld.global.u32 %r10, [{}]; st.global.u32 [%mine+12], %r10;\n", place);
    };
    CHECK(run(body("%mine+4")).count("ST.STRIDE") == 0);
    CHECK(run(body("%mine+4")).reasons().contains("alias"));
    CHECK(run(body("%mine+20")).count("ST.STRIDE") == 1);
}

TEST_CASE("barriers, fences and ordered accesses part what stands before and behind") {
    const auto body = [](const char* between) {
        return std::string("ld.global.u32 %r10, [%mine]; ld.global.u32 %r11, [%mine+4];\n") + between +
               "ld.global.u32 %r12, [%mine+8]; ld.global.u32 %r13, [%mine+12];\n" + kSumOfFour;
    };
    CHECK(run(body("")).count("LD.STRIDE") == 1);
    for (const char* between :
         {"bar.sync 0;\n", "membar.gl;\n", "ld.volatile.global.u32 %r5, [%mine+64];\n", "bar.warp.sync 0xffffffff;\n",
          "mov.u32 %r6, %clock; shr.u32 %r6, %r6, 31; add.u32 %r11, %r11, %r6;\n"}) {
        CAPTURE(between);
        CHECK(run(body(between)).count("LD.STRIDE") == 0);
    }
}

TEST_CASE("an element that needs another one's value stays") {
    const auto body = [](bool chase) {
        std::string text = "and.b32 %r9, %gid, 31;\n";
        for (unsigned i = 0; i < 4; ++i) {
            text += fmt::format(
                        "mul.wide.s32 %rd1, %r{}, 4; add.s64 %rd1, %mine, %rd1; ld.global.u32 %r{}, [%rd1]; and.b32 "
                        "%r{}, %r{}, {};\n",
                        chase ? 9 + i : 9, 10 + i, 10 + i, 10 + i, 31) +
                    (chase ? "" : fmt::format("add.u32 %r9, %r9, {};\n", i + 2));
        }
        return text +
               "add.u32 %r10, %r10, %r11; add.u32 %r10, %r10, %r12; add.u32 %r10, %r10, %r13; st.global.u32 "
               "[%mine+800], %r10;\n";
    };
    const Outcome chased = run(body(true));
    CHECK(chased.count("LD.INDIRECT") == 0);
    CHECK(chased.reasons().contains("dependence"));
    CHECK(run(body(false)).count("LD.INDIRECT") == 1);
}

TEST_CASE("vectors that need more registers than there are become shorter, or none") {
    // All values are needed at the end, so scalar loads could be performed one by one.
    const std::string body =
        "mov.u32 %r1, 1;\n" +
        each(16,
             [](unsigned i) {
                 return fmt::format("ld.global.u32 %r2, [%mine+{}]; mad.lo.u32 %r1, %r1, 3, %r2;\n", 4 * i);
             }) +
        "st.global.u32 [%mine+800], %r1;\n";
    finaliser::FinaliserOptions narrow;
    const auto counts = [&](unsigned limit) {
        narrow.isa.registers = limit;
        const Outcome outcome = run(body, "best", 0, 0, narrow);
        CHECK(outcome.packed.registers <= limit);
        CHECK(outcome.packed.spill_bytes == 0);
        return std::array{outcome.count(".V16"), outcome.count(".V8"), outcome.count(".V4")};
    };
    CHECK(counts(63) == std::array{1U, 0U, 0U});
    CHECK(counts(20)[0] == 0U);
    CHECK(counts(6) == std::array{0U, 0U, 0U});
}
