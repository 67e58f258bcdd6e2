// Each rule that turns loops of several blocks into masked vector iterations, from both sides. Every kernel runs with
// and without the pass (bench.h).
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "components/frontend/finaliser/emit/print.h"
#include "tests/functional/vecmem/bench.h"

using namespace lookahead;
using namespace lookahead::vecmem::test;

namespace {

constexpr const char* kMore = "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %a; @%p1 bra LOOP;";

/// Reads %r3 from the words at %rd1 on, runs `body`, and repeats while `more` holds. After the loop it stores %r2 and
/// %r8 and runs `behind`. %r3 & 1 alternates.
std::string rounds_of(const std::string& body, const std::string& more = kMore, const std::string& behind = "") {
    return fmt::format(
        "mov.u32 %r1, 0; mov.u32 %r2, 1; mov.u32 %r8, 3; mov.u64 %rd1, %mine;\nLOOP:\n"
        "ld.global.u32 %r3, [%rd1]; and.b32 %r4, %r3, 1; add.s64 %rd1, %rd1, 4;\n{}\n{}\n"
        "st.global.u32 [%mine+1016], %r2; st.global.u32 [%mine+1012], %r8; {}\n",
        body, more, behind);
}

/// `then`, or `otherwise` if given, depending on whether %r4 is not 0.
std::string choice(const std::string& then, const std::string& otherwise = "") {
    const std::string test = "setp.eq.u32 %p2, %r4, 0; @%p2 bra ELSE;\n" + then;
    if (otherwise.empty()) { return test + "\nELSE:\n"; }
    return test + "\nbra.uni END;\nELSE:\n" + otherwise + "\nEND:\n";
}

std::string times(unsigned count, const std::string& text) {
    std::string all;
    for (unsigned i = 0; i < count; ++i) { all += text; }
    return all;
}

/// Checks that the loop stays unchanged, for that reason.
void check_stays(const std::string& text, const char* reason = "control") {
    CAPTURE(text);
    const Outcome outcome = run(text, "4", 9);
    CHECK(outcome.count("LD.STRIDE") == 0);
    CHECK(outcome.reasons().contains(reason));
}

/// Checks that each of the two warps loads two vectors for the first eight iterations.
void check_packed(const std::string& text, std::uint32_t b = 0, std::uint32_t rounds = 9) {
    CAPTURE(text);
    CHECK(run(text, "4", rounds, b).executed == 4);
}

}  // namespace

TEST_CASE("loops with conditions go several rounds at once, and the rest as they were") {
    for (const std::string& body : {
             choice("mad.lo.u32 %r2, %r2, 3, %r3;"),
             choice("mad.lo.u32 %r2, %r2, 3, %r3;", "mad.lo.u32 %r2, %r2, 5, %r3;"),
             choice("add.u32 %r8, %r3, 3;", "mul.lo.u32 %r8, %r3, 5;") + "mad.lo.u32 %r2, %r2, 7, %r8;",
             choice("st.global.u32 [%rd1+400], %r3;", "st.global.u32 [%rd1+600], %r3;"),
         }) {
        for (const unsigned length : {4U, 8U, 16U}) {
            for (std::uint32_t rounds = 1; rounds <= 2 * length + 1; ++rounds) {
                CAPTURE(body);
                CAPTURE(length);
                CAPTURE(rounds);
                const Outcome outcome = run(rounds_of(body), std::to_string(length), rounds);
                CHECK(outcome.executed == 2 * (rounds / length));
                CHECK(outcome.count(fmt::format("LD.STRIDE.GLOBAL.V{}", length)) == 1);
                CHECK_FALSE(outcome.reasons().contains("control"));
            }
        }
    }
}

TEST_CASE("lanes that part in a round do so in each round of several") {
    const std::string body = "add.u32 %r4, %r3, %gid; and.b32 %r4, %r4, 2;\n" +
                             choice("mad.lo.u32 %r2, %r2, 3, %r3; st.global.u32 [%rd1+600], %r2;",
                                    "sub.u32 %r2, %r3, %r2; st.global.u32 [%rd1+400], %r2;");
    for (std::uint32_t rounds = 1; rounds <= 9; ++rounds) {
        CHECK(run(rounds_of(body), "4", rounds).executed == 2 * (rounds / 4));
    }
}

TEST_CASE("what lanes that go another way need is not written over") {
    // One side writes a value that exists before, that both sides have written, or that the other side reads.
    check_packed(rounds_of(choice("add.u32 %r8, %r3, 9;") + "mad.lo.u32 %r2, %r2, 3, %r8;"));
    check_packed(rounds_of(choice("mov.u32 %r8, %r3;", "add.u32 %r8, %r3, 7;") + "mad.lo.u32 %r2, %r2, 3, %r8;"));
    check_packed(rounds_of("add.u32 %r9, %r3, 4;" +
                           choice("add.u32 %r9, %r9, %r1; add.u32 %r2, %r2, %r9;", "mad.lo.u32 %r2, %r2, 5, %r9;")));
    // The last value is used after the loop.
    check_packed(rounds_of(choice("add.u32 %r8, %r3, 9;")), 0, 8);
}

TEST_CASE("accesses under conditions touch what they do in the program, and nothing else") {
    // An invalid address, if the word is above all existing ones.
    const std::string never = "setp.lt.u32 %p2, %r3, 0x7fffffff; @%p2 bra SKIP;\n{}\nSKIP:\n";
    for (const char* access : {"ld.global.u32 %r9, [%rd9]; add.u32 %r2, %r2, %r9;", "st.global.u32 [%rd9], %r2;",
                               "ld.shared.u32 %r9, [%r10]; add.u32 %r2, %r2, %r9;"}) {
        CAPTURE(access);
        const Outcome outcome = run("mov.u64 %rd9, 4; mov.u32 %r10, 0x00fffff0;\n" +
                                        rounds_of(fmt::format(fmt::runtime(never), access) + "add.s64 %rd9, %rd9, 4;"),
                                    "4", 9);
        CHECK(outcome.executed == 4);
        CHECK(outcome.reasons().contains("guard"));
    }
    check_packed(rounds_of(choice("st.global.u32 [%rd1+600], %r3;")));
}

TEST_CASE("conditions inside of conditions, of numbers and of what are none") {
    const std::string inner =
        "setp.gt.u32 %p3, %r3, %b; @%p3 bra INNER;\nmad.lo.u32 %r2, %r2, 7, %r1; "
        "st.global.u32 [%rd1+400], %r2;\nINNER:\n";
    for (const std::uint32_t bound : {0U, 260U, 4000U}) {
        check_packed(rounds_of(choice(inner)), bound);
        check_packed(rounds_of(choice("add.u32 %r2, %r2, 3;", inner)), bound);
    }
    // Both sides of the inner condition, on a value that may be NaN: neither comparison holds.
    const std::string floats =
        "cvt.rn.f32.u32 %f1, %r1; sub.f32 %f1, %f1, 0f40800000; sqrt.rn.f32 %f1, %f1;\n" +
        choice(
            "setp.lt.f32 %p3, %f1, 0f3F800000; @%p3 bra LESS;\nadd.u32 %r2, %r2, 100; xor.b32 %r8, %r8, %r3;\n"
            "bra.uni LESS_END;\nLESS:\nmad.lo.u32 %r2, %r2, 3, 1;\nLESS_END:\n",
            "setp.ge.f32 %p3, %f1, 0f3F800000; @!%p3 bra MORE;\nadd.u32 %r8, %r8, %r3;\nMORE:\n");
    check_packed(rounds_of(floats));
    // The inner comparison has other readers, under its condition and after it.
    const std::string chosen = choice(
        "setp.gt.u32 %p3, %r3, %b; selp.u32 %r9, 5, 9, %p3; @%p3 bra INNER;\n"
        "add.u32 %r2, %r2, 5; add.u32 %r8, %r8, %r2;\nINNER:\nselp.u32 %r10, 3, 1, %p3; "
        "add.u32 %r2, %r2, %r9; mad.lo.u32 %r2, %r2, %r10, %r8;\n");
    for (const std::uint32_t bound : {0U, 260U, 4000U}) { check_packed(rounds_of(chosen), bound); }
    const std::string read_twice = choice(
        "setp.gt.u32 %p3, %r3, %b; @%p3 bra INNER;\nadd.u32 %r2, %r2, 5; add.u32 %r8, %r8, %r2;\nINNER:\n@%p3 add.u32 "
        "%r2, %r2, 1;\n");
    check_stays(rounds_of(read_twice));
    const std::string read_behind = "setp.gt.u32 %p3, %r3, 4;\n" +
                                    choice(
                                        "setp.gt.u32 %p3, %r3, %b; @%p3 bra INNER;\nadd.u32 %r2, %r2, 5; add.u32 %r8, "
                                        "%r8, %r2;\nINNER:\n") +
                                    "@%p3 add.u32 %r2, %r2, 1;\n";
    for (const std::uint32_t bound : {0U, 260U, 4000U}) { check_packed(rounds_of(read_behind), bound); }
}

TEST_CASE("a condition of which nothing is left") {
    check_packed(rounds_of("setp.eq.u32 %p3, %r4, 0; @%p3 bra NONE;\nmov.u32 %r30, %r3;\nNONE:\n" +
                           choice("add.u32 %r2, %r2, %r3;")));
}

TEST_CASE("so many instructions are masked and no more") {
    const auto with = [](unsigned count) {
        return run(rounds_of(choice(times(count, "mad.lo.u32 %r2, %r2, 3, %r1;"))), "4", 9);
    };
    CHECK(with(96).executed == 4);
    CHECK(with(97).executed == 0);
    CHECK(with(97).reasons().contains("control"));
    // Instructions executed in every iteration do not count.
    check_packed(rounds_of(times(97, "mad.lo.u32 %r2, %r2, 3, %r1;") + choice("add.u32 %r2, %r2, %r3;")));
}

TEST_CASE("a mask that the round changes is none") {
    // Changed in the block that it masks, and read after it.
    const std::string changed =
        choice("setp.gt.u32 %p2, %r1, 4; add.u32 %r2, %r2, %r3;") + "@%p2 add.u32 %r2, %r2, 5;\n";
    check_stays(rounds_of(changed));
    // Set by the previous iteration.
    const std::string late =
        "@%p2 bra ELSE;\nadd.u32 %r2, %r2, %r3; add.u32 %r8, %r8, 1;\nELSE:\nsetp.eq.u32 %p2, %r4, 0;\n";
    check_stays("setp.eq.u32 %p2, %a, 0;\n" + rounds_of(late));
    const std::string fixed = "@%p2 bra ELSE;\nadd.u32 %r2, %r2, %r3; add.u32 %r8, %r8, 1;\nELSE:\n";
    for (const std::uint32_t b : {0U, 1U}) { check_packed("setp.eq.u32 %p2, %b, 0;\n" + rounds_of(fixed), b); }
}

TEST_CASE("loops of other shapes stay") {
    // An exit in the middle; two branches back; a loop inside; a block with two conditions; masked code under a
    // condition.
    check_stays(
        rounds_of("setp.eq.u32 %p2, %r3, 5; @%p2 bra OUT;\nadd.u32 %r2, %r2, %r3;", std::string(kMore) + "\nOUT:"));
    check_stays(rounds_of(
        choice("add.u32 %r8, %r8, 3;") +
            "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %a; setp.ne.u32 %p2, %r4, 0; and.pred %p3, %p1, %p2;\n"
            "@%p3 bra LOOP;\nadd.u32 %r2, %r2, %r3;\n@%p1 bra LOOP;",
        ""));
    check_stays(
        rounds_of("mov.u32 %r9, 0;\nINNER:\nadd.u32 %r2, %r2, %r9; add.u32 %r9, %r9, %r4; add.u32 %r9, %r9, 1; "
                  "setp.lt.u32 %p2, %r9, 5; @%p2 bra INNER;"));
    check_stays(
        rounds_of("setp.eq.u32 %p2, %r4, 0; @%p2 bra YES;\nsetp.lt.u32 %p3, %r3, 20; @!%p3 bra NO;\nYES:\n"
                  "mad.lo.u32 %r2, %r2, 3, %r3; add.u32 %r8, %r8, 1;\nNO:\n"));
    check_stays(
        rounds_of("setp.gt.u32 %p3, %r3, 20;\n" + choice("@%p3 mad.lo.u32 %r2, %r2, 3, %r3; add.u32 %r8, %r8, 1;")));
    // Masked code outside conditions is allowed.
    check_packed(rounds_of("setp.gt.u32 %p3, %r3, 20; @%p3 add.u32 %r2, %r2, 4;\n" + choice("add.u32 %r8, %r8, 1;")));
    // What prevents packing in loops of one block prevents it here, in any block.
    for (const char* body : {"bar.warp.sync 0xffffffff;", "atom.global.add.u32 %r9, [%out], 0; add.u32 %r8, %r8, 1;",
                             "ld.volatile.global.u32 %r9, [%mine];", "membar.cta;"}) {
        check_stays(rounds_of(choice(body)), "loop_code");
    }
    check_stays(rounds_of(choice("activemask.b32 %r9; popc.b32 %r9, %r9; mad.lo.u32 %r2, %r2, 3, %r9;")));
}

TEST_CASE("a counter that is counted under a condition is none") {
    check_stays(rounds_of(choice("add.s32 %r1, %r1, 1;")), "induction");
    // Likewise for a pointer that is read unchanged beside another one.
    check_packed("mov.u64 %rd2, %mine;\n" + rounds_of("ld.global.u32 %r9, [%rd2+64]; mad.lo.u32 %r2, %r2, 3, %r9;\n" +
                                                      choice("add.s64 %rd2, %rd2, 4;")));
}

TEST_CASE("masked code that stands together is gone around, one instruction is not") {
    const auto jumps = [](const std::string& body) {
        const Outcome outcome = run(rounds_of(body), "4", 9);
        CHECK(outcome.executed == 4);
        return outcome.count("BRA");
    };
    const unsigned without = jumps(choice("st.global.u32 [%rd1+400], %r3;"));
    CHECK(jumps(choice("st.global.u32 [%rd1+400], %r3; st.global.u32 [%rd1+700], %r3;")) == without + 4);
    // Instructions that only they need are skipped with them.
    CHECK(jumps(choice("add.u32 %r9, %r3, 3; st.global.u32 [%rd1+400], %r9;")) == without + 4);
}

TEST_CASE("what only masked code needs is masked where its mask is known, and nobody else needs it") {
    // Computed before the mask, for a lane that takes that path.
    check_packed(
        rounds_of("mad.lo.u32 %r9, %r3, 3, %r2;\n" + choice("st.global.u32 [%rd1+400], %r9; add.u32 %r2, %r2, %r9;")));
    // Computed under the condition, for use after the loop, and likewise in the next iteration.
    check_packed(
        rounds_of(choice("mad.lo.u32 %r9, %r3, 3, %r1; st.global.u32 [%rd1+400], %r9;") + "add.u32 %r10, %r3, 1;\n" +
                      "setp.gt.u32 %p3, %r3, 4; @%p3 bra MORE;\nst.global.u32 [%rd1+500], %r10; add.u32 %r2, "
                      "%r2, %r10;\nMORE:\n",
                  kMore, "st.global.u32 [%mine+1000], %r10;"),
        0, 8);
    const std::string unconditional =
        "setp.eq.u32 %p2, %r4, 0; mad.lo.u32 %r10, %r3, 5, 1; @%p2 bra ELSE;\n"
        "st.global.u32 [%rd1+400], %r10; add.u32 %r2, %r2, %r10;\nELSE:\n";
    check_packed(rounds_of(unconditional, kMore, "st.global.u32 [%mine+1000], %r10;"), 0, 8);
    check_packed(rounds_of(unconditional), 0, 8);
    // For both sides of a condition.
    const std::string both =
        "setp.eq.u32 %p2, %r4, 0; mad.lo.u32 %r10, %r3, 5, 1; @%p2 bra ELSE;\n"
        "st.global.u32 [%rd1+400], %r10; add.u32 %r2, %r2, %r10;\nbra.uni END;\nELSE:\n"
        "st.global.u32 [%rd1+600], %r10; mad.lo.u32 %r2, %r2, 3, %r10;\nEND:\n";
    check_packed(rounds_of(both), 0, 8);
}

TEST_CASE("a loop with conditions in which nothing can be packed is left as it was") {
    const std::string wide =
        "mov.u32 %r1, 0; mov.u64 %rd2, 1; mov.u64 %rd1, %mine;\nLOOP:\n"
        "ld.global.u64 %rd3, [%rd1]; and.b64 %rd4, %rd3, 1; setp.eq.u64 %p2, %rd4, 0;\n@%p2 bra ELSE;\n"
        "add.s64 %rd2, %rd2, %rd3; st.global.u64 [%rd1+256], %rd2;\nELSE:\nadd.s64 %rd1, %rd1, 8;\n" +
        std::string(kMore) + "\nst.global.u64 [%mine+1000], %rd2;\n";
    for (const char* length : {"4", "best"}) {
        CHECK(finaliser::print(finalised(wide, with_pass(length))) == finaliser::print(finalised(wide, {})));
    }
}

TEST_CASE("what the source has unrolled keeps its vectors, and its rounds") {
    std::string body;
    for (int u = 1; u < 4; ++u) { body += fmt::format("ld.global.u32 %r{}, [%rd1+{}];\n", 20 + u, 4 * u - 4); }
    for (int u = 1; u < 4; ++u) { body += fmt::format("mad.lo.u32 %r2, %r2, 3, %r{};\n", 20 + u); }
    body += choice("add.u32 %r8, %r8, %r3;") + "add.s64 %rd1, %rd1, 12;\n";
    const Outcome outcome = run(rounds_of(body), "4", 9);
    CHECK(outcome.executed == 2 * 9);
    CHECK(outcome.count("LD.STRIDE") == 1);
    CHECK(outcome.count("LD.GLOBAL") == 0);
}

TEST_CASE("vectors under a condition are given up for fewer, and the rounds left over keep them") {
    std::string table;
    for (int i = 0; i < 4; ++i) {
        table += fmt::format("ld.global.u32 %r{0}, [%rd1+{1}]; mad.lo.u32 %r2, %r2, 3, %r{0};\n", 20 + i, 400 + 12 * i);
    }
    const auto text = [&](int fields) {
        std::string all;
        for (int i = 0; i < fields; ++i) {
            all += fmt::format("ld.global.u32 %r9, [%rd1+{}]; mad.lo.u32 %r8, %r8, 5, %r9;\n", 100 + 44 * i);
        }
        return rounds_of(all + choice(table));
    };
    // With that of %r3, three vectors for four iterations instead of one per iteration.
    const Outcome fewer = run(text(2), "4", 9);
    CHECK(fewer.count("LD.STRIDE") == 3 + 1);
    // The ninth iteration's word is odd.
    CHECK(fewer.executed == 2 * (2 * 3 + 1));
    // Four vectors for four iterations are no fewer.
    CHECK(run(text(3), "4", 9).count("LD.STRIDE") == 1);
}

TEST_CASE("arrays under conditions are compared before the loop as others are") {
    const std::string text =
        "cvt.s64.s32 %rd5, %b; shl.b64 %rd5, %rd5, 2; add.s64 %rd7, %mine, %rd5;\n" +
        rounds_of(choice("st.global.u32 [%rd7], %r2;") + "mad.lo.u32 %r2, %r2, 3, %r3; add.s64 %rd7, %rd7, 4;");
    for (int apart = -6; apart <= 6; ++apart) {
        CAPTURE(apart);
        const Outcome outcome = run(text, "4", 9, static_cast<std::uint32_t>(apart));
        CHECK(outcome.count("LD.STRIDE") == 1);
        // A word that is read before it is written, or in the same iteration.
        CHECK(outcome.executed == (apart >= 1 && apart <= 3 ? 0 : 4));
    }
}
