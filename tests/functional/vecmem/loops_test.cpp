// Each rule of unrolling loops for vectors, from both sides. Every kernel runs with and without the pass (bench.h).
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "components/frontend/finaliser/analysis/control_flow.h"
#include "components/frontend/finaliser/emit/print.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/lower/lower.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/isa/instruction.h"
#include "components/mechanisms/vecmem/planner.h"
#include "tests/functional/vecmem/bench.h"

using namespace lookahead;
using namespace lookahead::vecmem::test;

namespace {

/// Counts in %r1 from `first`; `more` ends with a comparison to %p1 that continues the loop. Sums up the words at %rd1,
/// %rd1 + 4, ... so that their order matters.
std::string loop(const std::string& first, const std::string& more, const std::string& body = "") {
    return fmt::format(
        "mov.u32 %r1, {}; mov.u32 %r2, 1; mov.u64 %rd1, %mine; mov.u64 %rd4, %mine;\nLOOP:\n"
        "ld.global.u32 %r3, [%rd1]; mad.lo.u32 %r2, %r2, 3, %r3; add.s64 %rd1, %rd1, 4;\n{}\n{}\n@%p1 bra LOOP;\n"
        "st.global.u32 [%mine+1016], %r2; st.global.u32 [%mine+1012], %r1; st.global.u64 [%mine+1000], %rd1;\n",
        first, body, more);
}

constexpr const char* kCountsUp = "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %a;";

std::uint32_t word(int number) {
    return static_cast<std::uint32_t>(number);
}

}  // namespace

TEST_CASE("any number of rounds: as many at once as the length, the rest one by one") {
    for (const unsigned length : {4U, 8U, 16U}) {
        for (std::uint32_t rounds = 1; rounds <= 2 * length + 1; ++rounds) {
            CAPTURE(length);
            CAPTURE(rounds);
            const Outcome outcome = run(loop("0", kCountsUp), std::to_string(length), rounds);
            CHECK(outcome.executed == 2 * (rounds / length));
            CHECK(outcome.count(fmt::format("LD.STRIDE.GLOBAL.V{}", length)) == 1);
        }
    }
}

TEST_CASE("rounds that the longest vectors leave over are done with the shortest") {
    const std::string text = loop("0", kCountsUp);
    for (std::uint32_t rounds = 1; rounds <= 41; ++rounds) {
        CAPTURE(rounds);
        CHECK(run(text, "best", rounds).executed == 2 * (rounds / 16 + rounds % 16 / 4));
    }
    // A known number of iterations leaves none over, or too few.
    const auto known = [](unsigned rounds) {
        return run(loop("0", fmt::format("add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, {};", rounds)), "best")
            .count("LD.STRIDE");
    };
    CHECK(known(32) == 1);
    CHECK(known(35) == 1);
    CHECK(known(36) == 2);
}

TEST_CASE("all comparisons and directions of counters") {
    struct Case {
        const char* first;
        const char* bound;
        const char* more;
    };
    // Nine iterations each, for %a = 0.
    const Case cases[] = {
        {"0", "9", "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r4;"},
        {"0", "8", "add.s32 %r1, %r1, 1; setp.le.s32 %p1, %r1, %r4;"},
        {"0", "-9", "add.s32 %r1, %r1, -1; setp.gt.s32 %p1, %r1, %r4;"},
        {"0", "-8", "sub.s32 %r1, %r1, 1; setp.ge.s32 %p1, %r1, %r4;"},
        {"0", "9", "add.s32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, %r4;"},
        {"9", "0", "add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0;"},
        {"3", "-6", "add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, %r4;"},
        {"0", "25", "add.s32 %r1, %r1, 3; setp.lt.u32 %p1, %r1, %r4;"},
        {"27", "2", "add.s32 %r1, %r1, -3; setp.gt.u32 %p1, %r1, %r4;"},
        {"0", "9", "add.s32 %r1, %r1, 1; setp.gt.s32 %p1, %r4, %r1;"},
        {"0", "9", "add.s32 %r1, %r1, 1; setp.ge.s32 %p1|%p3, %r1, %r4; and.pred %p2, %p3, %p3;"},
    };
    for (const Case& each : cases) {
        const std::string more = each.more;
        CAPTURE(more);
        const std::string bound = fmt::format("add.s32 %r4, %a, {};\n", each.bound);
        std::string text = bound + loop(each.first, more);
        if (more.find("%p3") != std::string::npos) { text.replace(text.find("@%p1"), 4, "@%p3"); }
        CHECK(run(text).executed == 4);
    }
    const std::string wide = loop("0", "add.s64 %rd5, %rd5, 2; setp.lt.s64 %p1, %rd5, %rd6;");
    CHECK(run("mov.u64 %rd5, -4; cvt.s64.s32 %rd6, %a;\n" + wide, "4", 13).executed == 4);
    // The branch continues if the predicate is false.
    std::string turned = loop("0", "add.s32 %r1, %r1, 1; setp.ge.s32 %p1, %r1, %a;");
    turned.replace(turned.find("@%p1"), 4, "@!%p1");
    CHECK(run(turned, "4", 9).executed == 4);
}

TEST_CASE("lanes with other numbers of rounds") {
    for (std::uint32_t least : {1U, 3U, 4U, 5U}) {
        CAPTURE(least);
        const Outcome outcome =
            run("add.u32 %r4, %gid, %a;\n" + loop("0", "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r4;"), "4", least);
        CHECK(outcome.executed > 8);
    }
}

TEST_CASE("a bound near the least number has no rounds before it") {
    // One iteration, and three steps before the bound do not fit in 32 bits.
    for (const char* type : {"s32", "u32"}) {
        CAPTURE(type);
        const std::uint32_t zero = type == std::string("s32") ? 0x80000000U : 0, most = zero - 1;
        const std::string up =
            loop(fmt::format("{:#x}", zero), fmt::format("add.u32 %r1, %r1, 1; setp.lt.{} %p1, %r1, %a;", type));
        const std::string down =
            loop(fmt::format("{:#x}", most), fmt::format("add.u32 %r1, %r1, -1; setp.gt.{} %p1, %r1, %a;", type));
        for (std::uint32_t rounds = 1; rounds < 6; ++rounds) {
            CHECK(run(up, "4", zero + rounds).executed == 2 * (rounds / 4));
            CHECK(run(down, "4", most - rounds).executed == 2 * (rounds / 4));
        }
    }
    const std::string unknown = loop("0x80000000", "add.s32 %r1, %r1, %a; setp.lt.s32 %p1, %r1, %b;");
    for (std::uint32_t rounds = 1; rounds < 6; ++rounds) {
        CHECK(run(unknown, "4", 5, 0x80000000U + 5 * rounds).executed == 2 * (rounds / 4));
    }
}

TEST_CASE("a step that is not known goes up, and not too far") {
    const std::string text = loop("0", "add.s32 %r1, %r1, %a; setp.lt.s32 %p1, %r1, %b;");
    CHECK(run(text, "4", 3, 27).executed == 4);
    CHECK(run(text, "4", 1, 9).executed == 4);
    // Steps that wrap around: three steps exceed 32 bits and pass the bound.
    for (const std::uint32_t step : {0x40000000U, 0x60000000U, 0x90000000U, 0xb0000000U, 0xc0000000U, 0xd0000000U,
                                     0xfffffff0U, 0x55555557U, 0xaaaaaaabU}) {
        for (const int bound : {-2000000000, -1000, -3, 10, 1000, 101509731, 363698845, 2000000000}) {
            CAPTURE(step);
            CAPTURE(bound);
            // Counts the iterations with wrapped sums.
            std::uint32_t at = 0;
            unsigned rounds = 0;
            do { at += step, ++rounds; } while (static_cast<std::int32_t>(at) < bound && rounds < 100);
            if (rounds == 100) { continue; }
            CHECK(run(text, "4", step, word(bound)).executed <= 2 * (rounds / 4));
        }
    }
}

TEST_CASE("a counter that goes away from its bound is none") {
    CHECK(run(loop("0", "add.s32 %r1, %r1, -1; setp.lt.s32 %p1, %r1, -10;")).reasons().contains("induction"));
    CHECK(run(loop("0", "add.s32 %r1, %r1, 1; setp.gt.s32 %p1, %r1, 10;")).reasons().contains("induction"));
    CHECK(run(loop("0", "add.s32 %r1, %r1, 1; setp.eq.s32 %p1, %r1, 10;")).reasons().contains("induction"));
    // Nor are loops packed if their end depends on data or their counter is multiplied.
    CHECK(run(loop("0", "add.s32 %r1, %r1, %r3; setp.lt.s32 %p1, %r1, 90;")).reasons().contains("induction"));
    CHECK(run(loop("1", "mul.lo.s32 %r1, %r1, 2; setp.lt.s32 %p1, %r1, 90;")).reasons().contains("induction"));
}

TEST_CASE("a loop that is known to have too few rounds stays") {
    const Outcome three = run(loop("0", "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 3;"));
    CHECK(three.reasons().contains("trip_count"));
    CHECK(three.count("LD.STRIDE") == 0);
    CHECK(run(loop("0", "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 4;")).executed == 2);
    CHECK(run(loop("0", "add.s32 %r1, %r1, 2; setp.le.s32 %p1, %r1, 5;")).reasons().contains("trip_count"));
    CHECK(run(loop("0", "add.s32 %r1, %r1, 2; setp.le.s32 %p1, %r1, 6;")).executed == 2);
    CHECK(run(loop("3", "add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0;")).reasons().contains("trip_count"));
    // The longest length that the number of iterations allows.
    const Outcome best = run(loop("0", "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 11;"), "best");
    CHECK(best.count("LD.STRIDE.GLOBAL.V8") == 1);
    CHECK(best.executed == 2);
}

TEST_CASE("a kernel that was packed in as many ways as are tried keeps its loops as they are") {
    const ptx::Module module = ptx::parse_module(kernel_text(loop("0", kCountsUp)), "loop.ptx");
    finaliser::VirtualKernel kernel = finaliser::lower(module, module.functions.front());
    finaliser::split_at_jumps(kernel);
    const auto vectors = [&](std::uint64_t tried_before) {
        const auto tried = std::make_shared<vecmem::TriedPlans>();
        tried->instructions = tried_before;
        vecmem::Planner(kernel, {4}, 63, {}, tried).run();
        std::uint32_t most = 0;
        for (const auto& [plan, blocks] : tried->outcomes) {
            for (const vecmem::BlockOutcome& block : blocks) { most = std::max(most, block.vectors); }
        }
        return most;
    };
    CHECK(vectors(0) == 1);
    CHECK(vectors(vecmem::TriedPlans::kMostInstructions) == 0);
}

TEST_CASE("loops with barriers or atomics stay") {
    for (const char* body : {"bar.sync 0;", "membar.cta;", "atom.global.add.u32 %r9, [%out], 0; add.u32 %r2, %r2, 1;",
                             "bar.warp.sync 0xffffffff;", "ld.volatile.global.u32 %r9, [%mine];"}) {
        CAPTURE(body);
        const Outcome outcome = run(loop("0", kCountsUp, body), "4", 9);
        CHECK(outcome.count("LD.STRIDE") == 0);
        CHECK(outcome.reasons().contains("loop_code"));
    }
}

TEST_CASE("the counter's own numbers do not wrap around before its bound") {
    const auto body = [](const char* wide) {
        return fmt::format("{}; add.s64 %rd2, %mine, %rd2; ld.global.u32 %r9, [%rd2+64]; mad.lo.u32 %r2, %r2, 5, %r9;",
                           wide);
    };
    CHECK(run(loop("0", kCountsUp, body("mul.wide.s32 %rd2, %r1, 4")), "4", 9).count("LD.STRIDE") == 2);
    // As unsigned numbers they might wrap, and indices are signed.
    const Outcome other = run(loop("0", kCountsUp, body("mul.wide.u32 %rd2, %r1, 4")), "4", 9);
    CHECK(other.count("LD.STRIDE") == 1);
    CHECK(other.count("LD.INDIRECT") == 0);
    const std::string unsigned_up = "add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %a;";
    CHECK(run(loop("0", unsigned_up, body("mul.wide.u32 %rd2, %r1, 4")), "4", 9).count("LD.STRIDE") == 2);
    // Loops that end at a number, whether they pass it or not, may be packed: the words are indices then.
    const std::string past = "add.s32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, %a;";
    const Outcome passing = run(loop("-3", past, body("mul.wide.s32 %rd2, %r1, 4")), "4", 9);
    CHECK(passing.count("LD.STRIDE") == 1);
    CHECK(passing.count("LD.INDIRECT") == 1);
}

TEST_CASE("words that a loop extends are looked at before it, so that none wraps around") {
    // Starts at %b in steps of 2; the address is that of word %b + 2 k less %b, so it is in the buffer.
    const auto text = [](const char* wide, const char* step) {
        return fmt::format("cvt.{0}.{1} %rd8, %b; shl.b64 %rd8, %rd8, 2; sub.s64 %rd8, %mine, %rd8; mov.u32 %r8, %b;\n",
                           wide[0] == 's' ? "s64" : "u64", wide) +
               loop("0", kCountsUp,
                    fmt::format("mul.wide.{} %rd9, %r8, 4; add.s64 %rd9, %rd8, %rd9; ld.global.u32 %r9, [%rd9]; "
                                "add.u32 %r2, %r2, %r9; "
                                "add.s32 %r8, %r8, {};",
                                wide, step));
    };
    for (const char* wide : {"u32", "s32"}) {
        CAPTURE(wide);
        const Outcome outcome = run(text(wide, "2"), "4", 9, 100);
        CHECK(outcome.count("LD.STRIDE") == 2);
        CHECK(outcome.executed == 8);
        // The check's own last word is one step after the last one used: its greatest value is 2^31 - 2.
        CHECK(run(text(wide, "2"), "4", 9, 0x7ffffffeU - 2 * 9).executed == 8);
        CHECK(run(text(wide, "2"), "4", 9, 0x7ffffffeU - 2 * 8).executed == 0);
        CHECK(run(text(wide, "-2"), "4", 9, 18).executed == 8);
        CHECK(run(text(wide, "-2"), "4", 9, 17).executed == 0);
        CHECK(run(text(wide, "2"), "4", 9, 0x80000000U).executed == 0);
    }
    // An unknown step: up, down, and none.
    for (const int step : {3, -3, 0}) {
        const std::string unknown = fmt::format("add.s32 %r10, %a, {};\n", step - 9) + text("u32", "%r10");
        CHECK(run(unknown, "4", 9, 100).executed == 8);
    }
}

TEST_CASE("words beside a counter of unknown steps: as many steps as reach the bound, and a part of one") {
    // The word advances from %r8 by 2 x %b per iteration, and its address by as much less %r8.
    const auto text = [](const char* first) {
        return fmt::format(
                   "mov.u32 %r8, {}; shl.b32 %r10, %b, 1; cvt.s64.s32 %rd8, %r8; shl.b64 %rd8, %rd8, 2; sub.s64 %rd8, "
                   "%mine, %rd8;\n",
                   first) +
               loop("0", "add.s32 %r1, %r1, %b; setp.lt.s32 %p1, %r1, %a;",
                    "mul.wide.s32 %rd9, %r8, 4; add.s64 %rd9, %rd8, %rd9; ld.global.u32 %r9, [%rd9]; add.u32 %r2, %r2, "
                    "%r9; "
                    "add.s32 %r8, %r8, %r10;");
    };
    CHECK(run(text("100"), "4", 25, 3).executed == 8);
    CHECK(run(text("100"), "4", 25, 3).count("LD.STRIDE") == 2);
    // Nine iterations: 24 / 3 and a partial one.
    CHECK(run(text("0x7fffffff - 54"), "4", 25, 3).executed == 8);
    CHECK(run(text("0x7fffffff - 53"), "4", 25, 3).executed == 0);
    CHECK(run(text("0x7fffffff - 54"), "4", 26, 3).executed == 8);
    CHECK(run(text("0x7fffffff - 54"), "4", 27, 3).executed == 0);  // nine whole ones, for which it requires a tenth
    CHECK(run(text("-1"), "4", 25, 3).executed == 0);
}

TEST_CASE("the known steps of a pointer stand in the offsets of accesses that stay") {
    // Bytes are in no vector; before and after the sum, including the last iteration.
    const std::string text = "mov.u64 %rd7, %mine;\n" +
                             loop("0", kCountsUp,
                                  "ld.global.u8 %r9, [%rd7+3]; add.s64 %rd7, %rd7, 5; ld.global.u8 %r10, [%rd7];\n"
                                  "mad.lo.u32 %r2, %r2, 5, %r9; mad.lo.u32 %r2, %r2, 7, %r10;") +
                             "st.global.u64 [%mine+992], %rd7;\n";
    for (std::uint32_t rounds = 1; rounds <= 9; ++rounds) {
        CAPTURE(rounds);
        CHECK(run(text, "4", rounds).executed == 2 * (rounds / 4));
    }
    // Each pointer has one sum for four iterations, and one in the original loop; two belong to the thread's place.
    CHECK(run(text, "4", 9).count("ADD.S64") == 2 * 2 + 2);
    // Steps that do not fit in an offset.
    const std::string far =
        "mov.u64 %rd7, %mine; mov.u64 %rd8, 0;\n" + loop("0", "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 5;",
                                                         "add.s64 %rd9, %rd7, %rd8; ld.global.u8 %r9, [%rd9]; add.s64 "
                                                         "%rd8, %rd8, 0x40000000; sub.s64 %rd7, %rd7, 0x40000000;\n"
                                                         "mad.lo.u32 %r2, %r2, 5, %r9;");
    CHECK(run(far, "4").executed == 2);
}

TEST_CASE("arrays at words that are not known are compared, each pair once") {
    // From %mine + 4 x words of memory, with an unknown stride, like a box with several fields.
    const auto text = [](int apart) {
        return fmt::format(
            "st.global.u32 [%mine+900], {}; st.global.u32 [%mine+904], {}; st.global.u32 [%mine+908], -6; membar.cta;\n"
            "ld.global.s32 %r20, [%mine+900]; ld.global.s32 %r21, [%mine+904]; ld.global.s32 %r22, [%mine+908];\n"
            "mul.wide.s32 %rd10, %r20, 4; mul.wide.s32 %rd11, %r21, 4; mul.wide.s32 %rd12, %r22, 4;\n"
            "mul.wide.s32 %rd8, %b, 4; mul.wide.s32 %rd13, %a, 4; add.s64 %rd11, %rd11, %rd13; add.s64 %rd12, %rd12, "
            "%rd13;\n"
            "mov.u32 %r1, 0; mov.u32 %r2, 1; mov.u64 %rd1, %mine;\nLOOP:\n"
            "add.s64 %rd2, %rd1, %rd10; ld.global.u32 %r3, [%rd2]; add.s64 %rd3, %rd1, %rd12; ld.global.u32 %r4, "
            "[%rd3];\n"
            "mad.lo.u32 %r3, %r4, 5, %r3; add.s64 %rd4, %rd1, %rd11; st.global.u32 [%rd4], %r3;\n"
            "add.s64 %rd1, %rd1, %rd8; add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 9;\n@%p1 bra LOOP;\n",
            10, 10 + apart);
    };
    for (const int stride : {-2, -1, 1, 2}) {
        for (int apart = -10; apart <= 10; ++apart) {
            CAPTURE(stride);
            CAPTURE(apart);
            const Outcome outcome = run(text(apart), "4", 0, word(stride));
            CHECK(outcome.count("LD.STRIDE") == 2);
            CHECK(outcome.count("ST.STRIDE") == 1);
            const int least = std::min(std::abs(apart), std::abs(apart + 16));
            if (least > 3 * std::abs(stride)) { CHECK(outcome.executed == 12); }
        }
    }
}

TEST_CASE("loops with many vectors go through their rounds side by side where registers are few") {
    std::string body = "mov.u32 %r8, 0; ";
    for (const int byte : {32, 44, 100, 180, 300, 420}) {
        body += fmt::format("ld.global.u32 %r9, [%rd1+{}]; mad.lo.u32 %r8, %r8, 3, %r9; ", byte);
    }
    body += "mad.lo.u32 %r2, %r2, 5, %r8; ";
    const std::string text = loop("0", kCountsUp, body);
    finaliser::FinaliserOptions options;
    options.isa.registers = 32;
    const Outcome mixed = run(text, "4", 9, 0, options);
    CHECK(mixed.count("LD.STRIDE") == 7);
    CHECK(mixed.executed == 2 * 2 * 7);
    options.isa.registers = 16;
    CHECK(run(text, "4", 9, 0, options).count("LD.STRIDE") == 0);
}

TEST_CASE("as many rounds at once as leave fewer instructions, also where one round has vectors") {
    // Four fields at unknown words: one vector by indices per iteration, and two iterations need only one counter.
    std::string fields, body;
    for (int i = 0; i < 4; ++i) {
        fields +=
            fmt::format("ld.global.s32 %r{0}, [%mine+{1}]; and.b32 %r{0}, %r{0}, {2}; mul.wide.s32 %rd{0}, %r{0}, 4;\n",
                        20 + i, 600 + 28 * i * i, 8 + i);
        body +=
            fmt::format("add.s64 %rd9, %rd1, %rd{}; ld.global.u32 %r9, [%rd9]; mad.lo.u32 %r2, %r2, 5, %r9;\n", 20 + i);
    }
    const Outcome outcome = run(fields + loop("0", kCountsUp, body), "4", 9);
    CHECK(outcome.count("LD.INDIRECT") == 2);
    CHECK(outcome.executed == 2 * 4 * 2);
}

TEST_CASE("arrays that overlap are gone over one by one, and those that do not at once") {
    // Reads at %rd1 and writes at %rd4 = %mine + 4 x %b: a later iteration may read a written word.
    const std::string text = "cvt.s64.s32 %rd5, %b; shl.b64 %rd5, %rd5, 2;\n" +
                             loop("0", kCountsUp, "st.global.u32 [%rd7], %r2; add.s64 %rd7, %rd7, 4;");
    for (int distance = -24; distance <= 24; ++distance) {
        CAPTURE(distance);
        const Outcome outcome = run("cvt.s64.s32 %rd6, %b; shl.b64 %rd6, %rd6, 2; add.s64 %rd7, %mine, %rd6;\n" + text,
                                    "4", 13, word(distance));
        CHECK(outcome.count("LD.STRIDE") == 1);
        CHECK(outcome.count("ST.STRIDE") == 1);
        // Three iterations forward bring them together; backwards, words are read before they are written.
        CHECK(outcome.executed == (distance >= 1 && distance <= 3 ? 0 : 12));
    }
}

TEST_CASE("strides that are not known: apart by as far as they reach, up and down") {
    const std::string text =
        "cvt.s64.s32 %rd6, %b; shl.b64 %rd6, %rd6, 2; add.s64 %rd7, %mine, %rd6; mul.wide.s32 %rd8, %a, 4; mov.u64 "
        "%rd1, %mine;\n"
        "mov.u32 %r1, 0; mov.u32 %r2, 1;\nLOOP:\nld.global.u32 %r3, [%rd1]; mad.lo.u32 %r2, %r2, 3, %r3; st.global.u32 "
        "[%rd7], %r2;\n"
        "add.s64 %rd1, %rd1, %rd8; add.s64 %rd7, %rd7, %rd8;\n"
        "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 9;\n@%p1 bra LOOP;\nst.global.u32 [%mine+1016], %r2;\n";
    for (const int stride : {-3, -2, -1, 0, 1, 2, 3}) {
        for (int distance = -12; distance <= 12; ++distance) {
            CAPTURE(stride);
            CAPTURE(distance);
            const Outcome outcome = run(text, "4", word(stride), word(distance));
            CHECK(outcome.count("ST.STRIDE") == 1);
            if (std::abs(distance) > 3 * std::abs(stride)) { CHECK(outcome.executed == 8); }
        }
    }
}

TEST_CASE("in place: what is written is what was read, unless the stride is none") {
    const std::string text =
        "mul.wide.s32 %rd8, %a, 4; mov.u64 %rd1, %mine;\n"
        "mov.u32 %r1, 0; mov.u32 %r2, 1;\nLOOP:\nld.global.u32 %r3, [%rd1]; mad.lo.u32 %r2, %r3, 3, %r3; st.global.u32 "
        "[%rd1], %r2;\n"
        "add.s64 %rd1, %rd1, %rd8; add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 9;\n@%p1 bra LOOP;\n";
    CHECK(run(text, "4", 2).executed == 8);
    CHECK(run(text, "4", word(-2)).executed == 8);
    CHECK(run(text, "4", 0).executed == 0);
}

TEST_CASE("a distance that changes from round to round is not looked at") {
    // The written address is constant; the read address passes over it.
    const std::string text = loop("0", kCountsUp, "st.global.u32 [%rd9], %r2;");
    const Outcome outcome = run("mul.wide.s32 %rd9, %b, 4; add.s64 %rd9, %mine, %rd9;\n" + text, "4", 17, 14);
    CHECK(outcome.count("LD.STRIDE") == 0);
    CHECK(outcome.reasons().contains("alias"));
    // Indices may have any value.
    const std::string scattered =
        loop("0", kCountsUp,
             "and.b32 %r9, %r3, 15; mul.wide.s32 %rd9, %r9, 4; add.s64 %rd9, %mine, %rd9; st.global.u32 [%rd9], %r2;");
    CHECK(run(scattered, "4", 17).reasons().contains("alias"));
}

TEST_CASE("loops in few registers stay, in 63 they do not") {
    finaliser::FinaliserOptions options;
    const std::string text = loop("0", kCountsUp);
    options.isa.registers = 18;
    const Outcome narrow = run(text, "16", 40, 0, options);
    CHECK(narrow.count("LD.STRIDE") == 0);
    CHECK(narrow.reasons().contains("registers"));
    const Outcome shorter = run(text, "best", 40, 0, options);
    CHECK(shorter.count("LD.STRIDE.GLOBAL.V16") == 0);
    CHECK(shorter.count("LD.STRIDE") == 1);
    options.isa.registers = 63;
    CHECK(run(text, "16", 40, 0, options).executed == 4);
}

TEST_CASE("what is kept of a kernel for other limits of registers gives the same code as without it") {
    const std::string text = kernel_text(loop("0", kCountsUp));
    const ptx::Module module = ptx::parse_module(text, "test.ptx");
    finaliser::PreparedKernels prepared;
    unsigned last = 0, changes = 0;
    for (unsigned limit = 40; limit >= 8; --limit) {
        finaliser::FinaliserOptions options = with_pass("best");
        options.isa.registers = limit;
        const isa::Kernel kept = finaliser::finalise(module, module.functions.back(), options, prepared);
        const isa::Kernel fresh = finaliser::finalise(module, module.functions.back(), options);
        CAPTURE(limit);
        CHECK(finaliser::print(kept) == finaliser::print(fresh));
        changes += kept.code.size() != last;
        last = static_cast<unsigned>(kept.code.size());
    }
    CHECK(changes > 2);  // shorter vectors in fewer registers
}
