// Each rule of the decoupling pass, from both sides, on small kernels (Wang and Lin, ISCA 2017, sections 3 and 4).
// Every kernel runs, and its entries are compared with the original's values (bench.h).
#include <doctest/doctest.h>

#include <algorithm>

#include "components/frontend/finaliser/emit/print.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "components/mechanisms/dac/streams.h"
#include "core/error/error.h"
#include "tests/functional/dac/affine_interpreter.h"
#include "tests/functional/dac/bench.h"

using namespace lookahead;
using namespace lookahead::dac::test;

namespace {

Outcome run_body(const std::string& body, isa::Dim3 grid = {2, 1, 1}, isa::Dim3 block = {64, 1, 1}, std::uint32_t a = 7,
                 std::uint32_t b = 3) {
    return run(kernel_text(body), grid, block, {a, b});
}

Outcome run_with(const std::string& body, const std::string& key) {
    return run(kernel_text(body), {2, 1, 1}, {64, 1, 1}, {7, 3}, {}, {key});
}

Outcome run_with_reports(const std::string& body) {
    return run_with(body, "dac.reports=true");
}

std::ptrdiff_t count(const std::vector<std::string>& code, std::string_view text) {
    return std::ranges::count_if(code, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

/// The pass's result for a load from in + 4 * INDEX; `body` leaves the index in %r1.
std::string load_at(const std::string& body, isa::Dim3 block = {64, 1, 1}, std::uint32_t a = 7) {
    const Outcome outcome =
        run_body(body +
                     "mul.wide.s32 %rd1, %r1, 4; add.s64 %rd2, %in, %rd1; ld.global.u32 %r2, [%rd2];"
                     "st.global.u32 [%mine], %r2;",
                 {2, 1, 1}, block, a);
    return outcome.says("LD.GLOBAL.U32");
}

const std::string kFigure4 =
    ".version 9.0\n.target sm_75\n.address_size 32\n"
    ".visible .entry example(.param .u32 A, .param .u32 B, .param .u32 dim, .param .u32 num) {\n"
    ".reg .b32 %r<20>; .reg .pred %p<3>;\n"
    "ld.param.u32 %r1, [A]; ld.param.u32 %r2, [B]; ld.param.u32 %r3, [dim]; ld.param.u32 %r4, [num];\n"
    "mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mul.lo.u32 %r7, %r5, %r6; mov.u32 %r8, %tid.x;\n"
    "add.u32 %r9, %r8, %r7; mul.lo.u32 %r10, %r9, 4; add.u32 %r11, %r1, %r10; add.u32 %r12, %r2, %r10;\n"
    "mov.u32 %r13, 0;\n"
    "LOOP: ld.global.u32 %r14, [%r11]; add.u32 %r15, %r14, 1; st.global.u32 [%r12], %r15; add.u32 %r13, %r13, 1;\n"
    "mul.lo.u32 %r16, %r4, 4; add.u32 %r11, %r16, %r11; add.u32 %r12, %r16, %r12;\n"
    "setp.ne.u32 %p1, %r3, %r13; @%p1 bra LOOP; ret; }\n";

std::vector<std::string> operations(const std::vector<std::string>& code) {
    std::vector<std::string> names;
    for (const std::string& line : code) {
        const std::string text = line[0] == '@' ? "@" + line.substr(line.find(' ') + 1) : line;
        names.push_back(text.substr(0, text.find(' ')));
    }
    return names;
}

std::vector<dac::WarpQueues> queues_of(const std::string& ptx, isa::Dim3 block, std::vector<std::uint32_t> constants) {
    const ptx::Module module = ptx::parse_module(ptx, "test.ptx");
    const isa::Kernel kernel = finaliser::finalise(module, module.functions[0], with("dac"));
    constants.insert(constants.end(), kernel.literals.begin(), kernel.literals.end());
    dac::AffineInterpreter interpreter(kernel, *dac::affine_program(kernel), block, constants, {0, 0, 0}, true);
    CHECK(interpreter.run());
    return interpreter.queues();
}

TEST_CASE("the kernel of figure 4 becomes the two streams of figure 7") {
    finaliser::FinaliserOptions options;
    options.schedule = false;
    const ptx::Module module = ptx::parse_module(kFigure4, "figure4.ptx");
    Outcome outcome;
    outcome.decoupled = finaliser::finalise(module, module.functions[0], with("dac", options));
    CHECK(operations(outcome.affine()) ==
          std::vector<std::string>{"S2R", "MUL.LO.U32", "S2R", "ADD.U32", "MUL.LO.U32", "ADD.U32", "ADD.U32", "MOV.B32",
                                   "ENQ.DATA.GLOBAL.U32", "ENQ.ADDR.GLOBAL.U32", "ADD.U32", "MUL.LO.U32", "ADD.U32",
                                   "ADD.U32", "SETP.NE.U32", "ENQ.PRED", "@BRA", "EXIT"});
    CHECK(operations(outcome.own()) ==
          std::vector<std::string>{"LD.GLOBAL.U32", "ADD.U32", "ST.GLOBAL.U32", "@BRA", "EXIT"});
    CHECK(outcome.own()[0].find("[deq.data]") != std::string::npos);
    CHECK(outcome.own()[2].find("[deq.addr]") != std::string::npos);
    CHECK(outcome.own()[3].starts_with("@deq.pred BRA"));
}

TEST_CASE("with an offset of 4 warps access consecutive lines (figure 10)") {
    // ntid, nctaid, dynamic shared bytes, zero; then A, B, dim, num.
    const auto queues = queues_of(kFigure4, {96, 1, 1}, {96, 1, 1, 1, 1, 1, 0, 0, 0x80000, 0x90000, 2, 0x400});
    REQUIRE(queues.size() == 3);
    for (std::uint32_t warp = 0; warp < 3; ++warp) {
        const auto& addresses = queues[warp].addresses;
        REQUIRE(addresses.size() == 4);  // a load and a store, twice
        CHECK(queues[warp].predicates.size() == 2);
        for (unsigned lane = 0; lane < 32; ++lane) {
            CHECK((addresses[0].address[lane] & 0xffffffff) == 0x80000 + warp * 128 + lane * 4);
            CHECK((addresses[2].address[lane] & 0xffffffff) == 0x81000 + warp * 128 + lane * 4);
        }
    }
}

TEST_CASE("where threads part, only those that are there get anything (figure 13)") {
    const std::string text = kernel_text(
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 40; @%p1 bra B; ld.global.u32 %r2, [%mine]; bra D;"
        "B: ld.global.u32 %r2, [%mine+4]; D: st.global.u32 [%mine+8], %r2;");
    const auto queues = queues_of(text, {96, 1, 1}, {96, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0});
    REQUIRE(queues.size() == 3);
    const auto masks = [&](std::size_t warp) {
        std::vector<isa::LaneMask> all;
        for (const dac::Record& record : queues[warp].addresses) { all.push_back(record.active); }
        return all;
    };
    CHECK(masks(0) == std::vector<isa::LaneMask>{0xffffffff, 0xffffffff});
    CHECK(masks(1) == std::vector<isa::LaneMask>{0xffffff00, 0xff, 0xffffffff});  // lanes that fall through go first
    CHECK(masks(2) == std::vector<isa::LaneMask>{0xffffffff, 0xffffffff});
    run(text, {2, 1, 1}, {96, 1, 1}, {0, 0});
}

TEST_CASE("one tuple is enough for a value that all active threads compute alike (figure 14, left)") {
    const Outcome outcome = run_body(
        "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 40; @%p1 bra D; shl.b32 %r1, %r1, 2; cvt.u64.u32 %rd1, %r1;"
        "add.s64 %rd1, %in, %rd1; ld.global.u32 %r2, [%rd1]; st.global.u32 [%mine], %r2; D:");
    CHECK(outcome.says("LD.GLOBAL") == "decoupled");
    CHECK(outcome.decoupled.annotation(0, "dac.decoupled").value_or(0) == 0);
    CHECK(outcome.most_tuples == 1);
}

TEST_CASE("a value that two paths define has two tuples (figure 14, right, and figure 15 a)") {
    const Outcome outcome = run_body(
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 40; mov.u32 %r3, 0; @%p1 bra D; shl.b32 %r3, %r1, 2;"
        "D: cvt.u64.u32 %rd1, %r3; add.s64 %rd1, %in, %rd1; ld.global.u32 %r2, [%rd1]; st.global.u32 [%mine], %r2;");
    CHECK(outcome.says("LD.GLOBAL") == "decoupled");
    CHECK(outcome.most_tuples == 2);
}

TEST_CASE("several branches that lead to one of two definitions are one condition (figure 15 b)") {
    const Outcome outcome = run_body(
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 40; @%p1 bra C; setp.gt.u32 %p2, %r1, 50; @%p2 bra C;"
        "mov.u32 %r3, 16; bra D; C: shl.b32 %r3, %r1, 2; D: cvt.u64.u32 %rd1, %r3; add.s64 %rd1, %in, %rd1;"
        "ld.global.u32 %r2, [%rd1]; st.global.u32 [%mine], %r2;");
    CHECK(outcome.says("LD.GLOBAL") == "decoupled");
    CHECK(std::ranges::any_of(outcome.decoupled.annotations, [](const isa::Annotation& each) {
        return each.tag == "dac.decoupled" && each.value == 1;
    }));
    CHECK(outcome.most_tuples == 2);
}

TEST_CASE("two divergent conditions are decoupled, three are not") {
    const auto choices = [](unsigned count) {
        std::string body = "mov.u32 %r1, %tid.x; ";
        for (unsigned i = 0; i < count; ++i) {
            body += "setp.lt.u32 %p" + std::to_string(i) + ", %r1, " + std::to_string(10 + 10 * i) + "; selp.u32 %r" +
                    std::to_string(10 + i) + ", " + std::to_string(4 << i) + ", 0, %p" + std::to_string(i) +
                    "; add.u32 %r1, %r1, %r" + std::to_string(10 + i) + "; ";
        }
        return body;
    };
    CHECK(load_at(choices(2)) == "decoupled");
    CHECK(load_at(choices(3)) == "stays.conditions");
}

TEST_CASE("as many divergent conditions as dac.divergent_conditions says are decoupled") {
    const auto choices = [](const std::string& conditions) {
        const Outcome outcome = run_with(
            "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 40; selp.u32 %r2, 4, 0, %p1; add.u32 %r1, %r1, %r2;"
            "setp.lt.u32 %p2, %r1, 20; selp.u32 %r3, 8, 0, %p2; add.u32 %r4, %r1, %r3;"
            "mul.wide.u32 %rd1, %r1, 4; add.s64 %rd1, %in, %rd1; ld.global.u32 %r5, [%rd1];"
            "mul.wide.u32 %rd2, %r4, 8; add.s64 %rd2, %in, %rd2; ld.global.u64 %rd3, [%rd2];"
            "cvt.u32.u64 %r6, %rd3; add.u32 %r5, %r5, %r6; st.global.u32 [%mine], %r5;",
            "dac.divergent_conditions=" + conditions);
        return outcome.says("LD.GLOBAL.U32") + ", " + outcome.says("LD.GLOBAL.U64") + ", " + outcome.says("ST.GLOBAL");
    };
    CHECK(choices("2") == "decoupled, decoupled, decoupled");
    CHECK(choices("1") == "decoupled, stays.conditions, decoupled");
    CHECK(choices("0") == "stays.conditions, stays.conditions, decoupled");
}

TEST_CASE("accesses alone, or predicates alone, are decoupled where dac.decouple says so") {
    const auto decoupled = [](const std::string& what) {
        const Outcome outcome = run_with(
            "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 40; ld.global.u32 %r2, [%mine];"
            "@%p1 bra D; add.u32 %r2, %r2, 1; D: st.global.u32 [%mine], %r2;",
            "dac.decouple=" + what);
        return outcome.says("LD.GLOBAL") + ", " + outcome.says("ST.GLOBAL") + ", " +
               (outcome.enqueues("PRED") ? "branch" : "none");
    };
    CHECK(decoupled("all") == "decoupled, decoupled, branch");
    CHECK(decoupled("accesses") == "decoupled, decoupled, none");
    CHECK(decoupled("predicates") == "stays.choice, stays.choice, branch");
}

TEST_CASE("a divergent tuple that a loop carries stays, one that is made anew in each turn does not") {
    const std::string loop = "mov.u32 %r1, %tid.x; mov.u32 %r9, 0; mov.u32 %r4, 0; L: setp.lt.u32 %p1, %r1, 40;";
    const std::string rest =
        "mul.wide.u32 %rd1, %r5, 4; add.s64 %rd2, %in, %rd1; ld.global.u32 %r2, [%rd2]; st.global.u32 [%mine], %r2;"
        "add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 3; @%p2 bra L;";
    CHECK(run_body(loop + "selp.u32 %r5, %r9, %r1, %p1;" + rest).says("LD.GLOBAL") == "decoupled");
    CHECK(run_body(loop + "@%p1 add.u32 %r4, %r4, 1; mov.u32 %r5, %r4;" + rest).says("LD.GLOBAL") ==
          "stays.loop_carried");
}

TEST_CASE("what a loop leaves behind stays where threads leave it at different turns") {
    const auto after = [](const std::string& bound) {
        return run_body("mov.u32 %r1, %tid.x; mov.u32 %r9, 0; L: add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, " + bound +
                        "; @%p2 bra L; mul.wide.u32 %rd1, %r9, 4; add.s64 %rd2, %in, %rd1;"
                        "ld.global.u32 %r2, [%rd2]; st.global.u32 [%mine], %r2;")
            .says("LD.GLOBAL");
    };
    CHECK(after("%a") == "decoupled");
    CHECK(after("%r1") == "stays.loop_carried");
}

TEST_CASE("min, max and abs are choices between two tuples") {
    CHECK(load_at("mov.u32 %r1, %tid.x; min.s32 %r1, %r1, 40;") == "decoupled");
    CHECK(load_at("mov.u32 %r1, %tid.x; max.s32 %r1, %r1, %a;") == "decoupled");
    CHECK(load_at("mov.u32 %r1, %tid.x; sub.s32 %r1, %r1, 20; abs.s32 %r1, %r1;") == "decoupled");
    CHECK(load_at("mov.u32 %r1, %tid.x; min.s32 %r1, %r1, 50; max.s32 %r1, %r1, %b;") == "decoupled");
    CHECK(load_at("mov.u32 %r1, %tid.x; min.s32 %r1, %r1, 50; max.s32 %r1, %r1, %b; min.s32 %r1, %r1, 40;") ==
          "stays.conditions");
    const Outcome scalar = run_body(
        "min.s32 %r1, %a, %b; mul.wide.s32 %rd1, %r1, 4; add.s64 %rd1, %in, %rd1;"
        "ld.global.u32 %r2, [%rd1]; st.global.u32 [%mine], %r2;");
    CHECK(scalar.most_tuples == 1);
}

TEST_CASE("a union of bits is a sum where they cannot overlap, and no tuple where they can") {
    CHECK(load_at("mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; or.b32 %r1, %r1, 3;") == "decoupled");
    CHECK(load_at("mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; xor.b32 %r1, %r1, 1;") == "decoupled");
    CHECK(load_at("mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; or.b32 %r1, %r1, 4;") == "stays.operation");
    CHECK(load_at("mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; or.b32 %r1, %r1, 5;") == "stays.operation");
}

TEST_CASE("what a sign masks is a choice between a tuple and nothing") {
    const std::string sign = "mov.u32 %r1, %tid.x; sub.s32 %r3, %r1, 20; shr.s32 %r4, %r3, ";
    CHECK(load_at(sign + "31; neg.s32 %r3, %r3; and.b32 %r1, %r4, %r3;") == "decoupled");
    CHECK(load_at(sign + "31; and.b32 %r1, %r4, %a;") == "decoupled");
    CHECK(load_at(sign + "30; neg.s32 %r3, %r3; and.b32 %r1, %r4, %r3;") == "stays.operation");
    // Values masked by two signs are not masks.
    CHECK(load_at(sign + "31; and.b32 %r5, %r4, %a; mov.u32 %r6, %tid.x; sub.s32 %r7, %r6, 9; shr.s32 %r7, %r7, 31; "
                         "and.b32 %r6, %r7, %r6; and.b32 %r1, %r5, %r6;") == "stays.operation");
    // The mask is used for more than a choice.
    CHECK(load_at(sign + "31; popc.b32 %r1, %r4;") == "decoupled");
}

TEST_CASE("numbers that threads choose are compared in any type") {
    const Outcome outcome = run_body(
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 20; selp.u32 %r3, 1, 0, %p1; cvt.u16.u32 %rs1, %r3;"
        "setp.eq.s16 %p2, %rs1, 0; selp.u32 %r2, 1, 2, %p2; st.global.u32 [%mine], %r2;");
    CHECK(std::ranges::count(operations(outcome.own()), "DEQ.PRED") == 1);
}

TEST_CASE("a remainder by a scalar is a mod-type tuple, which takes scalar sums and products and nothing else") {
    CHECK(load_at("mov.u32 %r1, %tid.x; rem.u32 %r1, %r1, 10;") == "decoupled");
    CHECK(load_at("mov.u32 %r1, %tid.x; rem.s32 %r1, %r1, 10;") == "decoupled");
    CHECK(load_at("mov.u32 %r1, %tid.x; rem.u32 %r1, %r1, %a;") == "decoupled");
    CHECK(load_at("mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 7; add.u32 %r1, %r1, %a; mul.lo.u32 %r1, %r1, 3;") ==
          "decoupled");
    // 32 bits of a value that may wrap around suffice only for a power of two.
    CHECK(load_at("and.b32 %r1, %gid, 7;") == "decoupled");
    CHECK(load_at("rem.u32 %r1, %gid, 8;") == "decoupled");
    CHECK(load_at("rem.u32 %r1, %gid, 10;") == "stays.wrap");
    CHECK(load_at("mov.u32 %r1, %tid.x; sub.s32 %r1, %r1, 5; rem.s32 %r1, %r1, 8; abs.s32 %r1, %r1;") == "stays.wrap");
    CHECK(load_at("mov.u32 %r1, %tid.x; rem.u32 %r3, %r1, 10; add.u32 %r1, %r3, %r1;") == "stays.mod");
    CHECK(load_at("mov.u32 %r1, %tid.x; rem.u32 %r3, %r1, 10; rem.u32 %r1, %r3, 3;") == "stays.mod");
}

TEST_CASE("products of two values that differ stay") {
    CHECK(load_at("mov.u32 %r1, %tid.x; mul.lo.u32 %r1, %r1, %a;") == "decoupled");
    CHECK(load_at("mov.u32 %r1, %tid.x; mul.lo.u32 %r1, %r1, %r1;") == "stays.product");
    CHECK(load_at("mov.u32 %r1, %tid.x; mov.u32 %r3, %ctaid.x; mul.lo.u32 %r1, %r1, %r3;") == "stays.product");
    CHECK(load_at("mov.u32 %r1, %tid.x; shl.b32 %r3, 1, %r1; and.b32 %r1, %r3, 15;") == "stays.product");
}

TEST_CASE("any operation is accepted on what is the same for the whole grid, and on nothing else") {
    CHECK(load_at("xor.b32 %r1, %a, %b; popc.b32 %r1, %r1;") == "decoupled");
    CHECK(load_at("mov.u32 %r1, %ctaid.x; popc.b32 %r1, %r1;") == "stays.operation");
    CHECK(load_at("mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 2;") == "stays.operation");
}

TEST_CASE("a 32-bit number that may wrap around is right in 64 bits too") {
    // The product wraps in threads 3 to 63.
    const std::string body =
        "mov.u32 %r1, %tid.x; mul.lo.s32 %r1, %r1, %a; cvt.s64.s32 %rd1, %r1; setp.lt.s64 %p1, %rd1, 0;"
        "selp.u32 %r2, 1, 2, %p1; st.global.u32 [%mine], %r2;";
    for (const std::uint32_t a : {0x30000000U, 0x90000000U, 5U, 0xfffffffbU}) {
        const Outcome outcome = run_body(body, {2, 1, 1}, {64, 1, 1}, a);
        CHECK(outcome.enqueues("PRED"));
    }
    CHECK(load_at("mov.u32 %r1, %tid.x; sub.s32 %r1, %r1, %a; add.s32 %r1, %r1, %a;") == "decoupled");
}

TEST_CASE("two 32-bit numbers brought into 64 bits add up where one is known not to wrap, or differs by block only") {
    const auto sum = [](const std::string& first, const std::string& second) {
        return run_body("mov.u32 %r1, " + first + "; mov.u32 %r3, " + second +
                        "; mul.lo.u32 %r3, %r3, %a; cvt.s64.s32 %rd1, %r1; cvt.s64.s32 %rd2, %r3;"
                        "add.s64 %rd1, %rd1, %rd2; shl.b64 %rd1, %rd1, 2; add.s64 %rd1, %in, %rd1;"
                        "ld.global.u32 %r2, [%rd1]; st.global.u32 [%mine], %r2;")
            .says("LD.GLOBAL");
    };
    CHECK(sum("%tid.x", "%ctaid.x") == "decoupled");
    CHECK(sum("%tid.x", "%tid.x") == "stays.mod");
}

TEST_CASE("blocks of two dimensions that are narrower than a warp") {
    const std::string body =
        "mov.u32 %r3, %tid.y; mov.u32 %r4, %tid.x; mad.lo.u32 %r1, %r3, %a, %r4;"
        "setp.lt.u32 %p1, %r4, 3; @%p1 add.u32 %r1, %r1, 100;";
    CHECK(load_at(body, {6, 7, 1}) == "decoupled");
    CHECK(load_at(body + "mov.u32 %r5, %tid.z; add.u32 %r1, %r1, %r5;", {5, 3, 3}) == "decoupled");
}

TEST_CASE("a predicate is decoupled where one operand is the same for the whole block") {
    const auto compare = [](const std::string& a, const std::string& b) {
        return run_body("mov.u32 %r1, " + a + "; mov.u32 %r3, " + b +
                        "; setp.lt.u32 %p1, %r1, %r3; selp.u32 %r2, 1, 2, %p1; st.global.u32 [%mine], %r2;")
            .enqueues("PRED");
    };
    CHECK(compare("%tid.x", "%a"));
    CHECK(compare("%tid.x", "%ctaid.x"));
    CHECK_FALSE(compare("%tid.x", "%tid.y"));
}

TEST_CASE("the second predicate of a combined comparison is not the complement of the first") {
    const auto both = [](const std::string& combine) {
        return run_body("mov.u32 %r1, %tid.x; setp.lt.u32 %p3, %r1, 20; setp.lt" + combine +
                        "; selp.u32 %r2, 1, 2, %p1; selp.u32 %r3, 4, 8, %p2; add.u32 %r2, %r2, %r3;"
                        "st.global.u32 [%mine], %r2;");
    };
    CHECK(std::ranges::count(operations(both(".u32 %p1|%p2, %r1, 40").own()), "DEQ.PRED") == 1);
    CHECK(both(".and.u32 %p1|%p2, %r1, 40, %p3").says("SETP.LT.AND") == "stays.operation");
}

TEST_CASE("what depends on loaded values stays") {
    CHECK(load_at("ld.global.b32 %r3, [%mine]; and.b32 %r1, %r3, 63;") == "stays.memory");
    const Outcome control = run_body(
        "ld.global.u32 %r3, [%mine]; setp.gt.u32 %p1, %r3, 100; @%p1 bra D; ld.global.u32 %r2, [%in];"
        "st.global.u32 [%mine+4], %r2; D: st.global.u32 [%mine+8], %r3;");
    CHECK(control.says("SETP") == "stays.memory");
    CHECK(control.says("LD.GLOBAL.U32 R") == "decoupled");
    CHECK(count(control.own(), "[deq") == 2);
    // After the join the affine stream continues; inside the paths it has nothing.
    CHECK(std::ranges::count_if(control.affine(), [](const std::string& line) { return line.starts_with("ENQ"); }) ==
          2);
}

TEST_CASE("with dac.reports warps tell the affine warp of branches that depend on data") {
    const std::string text =
        "ld.global.u32 %r3, [%mine]; setp.gt.u32 %p1, %r3, 100; @%p1 bra D; ld.global.u32 %r2, [%in];"
        "st.global.u32 [%mine+4], %r2; D: st.global.u32 [%mine+8], %r3;";
    const Outcome told = run_with_reports(text);
    CHECK(told.reports == 4);
    CHECK(count(told.own(), "[deq") == 4);
    CHECK(count(told.own(), "ENQ.LANES") == 1);
    CHECK(count(told.affine(), "DEQ.LANES") == 1);
    CHECK(told.says("BRA") == "reported");
    const Outcome untold = run_body(text);
    CHECK(untold.reports == 0);
    CHECK(count(untold.own(), ".LANES") == 0);
}

TEST_CASE("a loop that data ends is followed by what warps report at each turn") {
    const Outcome loop = run_with_reports(
        "ld.global.u32 %r3, [%mine]; shr.u32 %r3, %r3, 2; and.b32 %r3, %r3, 3; mov.u32 %r4, 0; mov.u32 %r5, 0;"
        "L: mul.wide.u32 %rd1, %r4, 4; add.s64 %rd2, %in, %rd1; ld.global.u32 %r2, [%rd2]; add.u32 %r5, %r5, %r2;"
        "add.u32 %r4, %r4, 1; setp.le.u32 %p1, %r4, %r3; @%p1 bra L; st.global.u32 [%mine+4], %r5;");
    CHECK(loop.reports == 4 * 4);
    CHECK(count(loop.own(), "[deq.data]") == 2);
}

TEST_CASE("the turn at which data ends a loop is no affine value behind it, and ways that it parts have a condition") {
    const Outcome loop = run_with_reports(
        "ld.global.u32 %r3, [%mine]; shr.u32 %r3, %r3, 2; and.b32 %r3, %r3, 3; mov.u32 %r4, 0;"
        "L: st.global.u32 [%mine+8], %r4; add.u32 %r4, %r4, 1; setp.le.u32 %p1, %r4, %r3; @%p1 bra L;"
        "mul.wide.u32 %rd1, %r4, 4; add.s64 %rd2, %in, %rd1; ld.global.s32 %r2, [%rd2]; st.global.u32 [%mine+4], %r2;");
    CHECK(loop.says("LD.GLOBAL.S32") == "stays.loop_carried");
    const Outcome ways = run_with_reports(
        "ld.global.u32 %r3, [%mine]; setp.gt.u32 %p1, %r3, 100; mov.u32 %r4, 5; @%p1 bra D; mov.u32 %r4, 9;"
        "D: mul.wide.u32 %rd1, %r4, 4; add.s64 %rd2, %in, %rd1; ld.global.s32 %r2, [%rd2]; st.global.u32 [%mine+4], "
        "%r2;");
    CHECK(ways.reports == 4);
    CHECK(ways.most_tuples == 2);
}

TEST_CASE("what the affine stream has nothing to do behind is not reported") {
    const Outcome idle = run_with_reports(
        "ld.global.u32 %r3, [%mine]; ld.global.u32 %r2, [%mine+8]; mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; shr.u32 "
        "%r3, "
        "%r3, 1; atom.global.add.u32 %r5, [%mine], %r3; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;");
    CHECK(count(idle.own(), "[deq.data]") == 1);
    CHECK(idle.reports == 0);
}

TEST_CASE("a masked instruction whose mask depends on data stays, with dac.reports too") {
    const Outcome masked = run_with_reports(
        "ld.global.u32 %r3, [%mine]; setp.gt.u32 %p1, %r3, 100; @%p1 ld.global.u32 %r2, [%in];"
        "st.global.u32 [%mine+4], %r2;");
    CHECK(masked.reports == 0);
    CHECK(count(masked.own(), "[deq.data]") == 1);
}

TEST_CASE("kernels that spin on memory are refused") {
    const std::string store = "st.global.u32 [%mine+4], %a;";
    const auto spin = [&](const std::string& access) {
        return store + "L: " + access + "; setp.ne.u32 %p1, %r2, 0; @!%p1 bra L;" + store;
    };
    const Outcome refused = run_body(spin("ld.volatile.global.u32 %r2, [%mine]"));
    CHECK(refused.affine().empty());
    CHECK(refused.says("ST.") == "stays.spin");
    CHECK(run_body(spin("atom.global.or.b32 %r2, [%mine], 0")).affine().empty());
    CHECK(run_with_reports(spin("atom.global.or.b32 %r2, [%mine], 0")).affine().empty());
    CHECK_FALSE(run_body(spin("ld.global.u32 %r2, [%mine]")).affine().empty());
    // The value returned by an atomic before the loop does not change in the loop.
    CHECK_FALSE(run_body(store +
                         "atom.global.or.b32 %r2, [%mine], 0; L: shr.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0;"
                         "@%p1 bra L;" +
                         store)
                    .affine()
                    .empty());
}

TEST_CASE("kernels whose warps wait at a barrier on one way of a branch for those on its other way are refused") {
    const std::string store = "st.global.u32 [%mine+4], %a;", bar = "bar.sync 1, 64;";
    // The CTA's first warp takes one path, the second one the other.
    const auto parted = [&](const std::string& one, const std::string& other, const std::string& value = "%tid.x") {
        return "mov.u32 %r1, " + value + "; setp.ge.u32 %p1, %r1, 32; @%p1 bra Q;" + one + " bra E; Q: " + other +
               " E: " + store;
    };
    const Outcome refused = run_body(parted(store + bar + store, bar + store));
    CHECK(refused.affine().empty());
    CHECK(refused.says("ST.") == "stays.parted");
    CHECK(run_body(parted(bar + store, store + bar + store)).affine().empty());
    // Nothing for the others to dequeue, no barrier, or one path for the whole CTA.
    CHECK_FALSE(run_body(parted(store + bar + store, bar)).affine().empty());
    CHECK_FALSE(run_body(parted(store, store)).affine().empty());
    CHECK_FALSE(run_body(parted(store + bar + store, bar + store, "%ctaid.x")).affine().empty());
    const auto ends_early = [&](const std::string& before) {
        return run_body("mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; @!%p1 bra Q;" + before + "ret; Q:" + store +
                        "bar.sync 0;" + store);
    };
    CHECK_FALSE(ends_early("").affine().empty());
    CHECK(ends_early(store).affine().empty());
}

TEST_CASE("a barrier behind which nothing is enqueued is not in the affine stream") {
    const std::string store = "st.global.u32 [%mine+4], %a;";
    CHECK(count(run_body(store + "bar.sync 0;").affine(), "BAR") == 0);
    CHECK(count(run_body(store + "bar.sync 0;" + store).affine(), "BAR") == 1);
}

TEST_CASE("accesses of shared memory take their addresses from the queue, unless dac.shared_accesses is false") {
    const auto shared = [](const std::string& key) {
        return run_with(
            ".shared .align 4 .b8 held[1024]; mov.u32 %r1, %tid.x; mad.lo.u32 %r3, %r1, 8, 16;"
            "st.shared.u32 [%r3], %a; ld.shared.u32 %r2, [%r3]; st.global.u32 [%mine], %r2;",
            key);
    };
    const Outcome decoupled = shared("dac.shared_accesses=true");
    CHECK(decoupled.says("ST.SHARED") == "decoupled");
    CHECK(decoupled.says("LD.SHARED") == "decoupled");
    CHECK(count(decoupled.own(), "[deq.addr]") == 3);
    CHECK(count(decoupled.own(), "[deq.data]") == 0);
    const Outcome kept = shared("dac.shared_accesses=false");
    CHECK(kept.says("ST.SHARED") == "stays.space");
    CHECK(kept.says("LD.SHARED") == "stays.space");
    CHECK(count(kept.own(), "[deq.addr]") == 1);
}

TEST_CASE("volatile loads and generic addresses stay") {
    CHECK(run_body("ld.volatile.global.u32 %r2, [%in]; st.global.u32 [%mine], %r2;").says("LD.") == "stays.order");
    CHECK(run_body("ld.u32 %r2, [%in]; st.global.u32 [%mine], %r2;").says("LD.") == "stays.space");
}

TEST_CASE("loads behind a barrier that the affine stream cannot follow stay, those in front and stores do not") {
    const std::string text =
        "ld.global.u32 %r3, [%mine]; setp.gt.u32 %p1, %r3, 100000; @%p1 bra D; atom.global.add.u32 %r4, [%mine+4], 1;"
        "D: ld.global.u32 %r2, [%in]; st.global.u32 [%mine+8], %r2;";
    const Outcome hidden = run_body(text);
    CHECK(count(hidden.own(), "[deq.data]") == 1);
    CHECK(count(hidden.own(), "[deq.addr]") == 1);
    const Outcome seen = run_body(
        "ld.global.u32 %r3, [%mine]; atom.global.add.u32 %r4, [%mine+4], 1; ld.global.u32 %r2, [%in];"
        "add.u32 %r2, %r2, %r3; bar.sync 0; st.global.u32 [%mine+8], %r2;");
    CHECK(count(seen.own(), "[deq.data]") == 2);
    const auto affine = operations(seen.affine());
    CHECK(std::ranges::count(affine, "BAR.SYNC") == 1);
    CHECK(std::ranges::count(affine, "MEMBAR.GPU") == 1);
}

TEST_CASE("atomics and volatile accesses of shared memory stop nothing, those of global memory do") {
    const auto stops = [](const std::string& access) {
        const Outcome outcome =
            run_body(".shared .align 4 .b8 held[4]; ld.global.u32 %r3, [%mine]; " + access +
                     " ld.global.u32 %r2, [%in]; add.u32 %r2, %r2, %r3; st.global.u32 [%mine+8], %r2;");
        return std::ranges::any_of(operations(outcome.affine()),
                                   [](const std::string& name) { return name.starts_with("MEMBAR"); });
    };
    CHECK_FALSE(stops("atom.shared.add.u32 %r4, [held], 1;"));
    CHECK_FALSE(stops("red.shared.add.u32 [held], 1;"));
    CHECK_FALSE(stops("st.volatile.shared.u32 [held], 1;"));
    CHECK_FALSE(stops("ld.volatile.shared.u32 %r4, [held];"));
    CHECK(stops("atom.global.add.u32 %r4, [%mine+4], 1;"));
    CHECK(stops("red.global.add.u32 [%mine+4], 1;"));
    CHECK(stops("st.volatile.global.u32 [%mine+4], 1;"));
    CHECK(stops("membar.gl;"));
    CHECK(stops("membar.cta;"));
    // If the affine warp cannot follow them, later loads are requested as well.
    const Outcome hidden = run_body(
        ".shared .align 4 .b8 held[4]; ld.global.u32 %r3, [%mine]; setp.gt.u32 %p1, %r3, 100000; @%p1 bra D; "
        "atom.shared.add.u32 %r4, [held], 1;"
        "D: ld.global.u32 %r2, [%in]; st.global.u32 [%mine+8], %r2;");
    CHECK(count(hidden.own(), "[deq.data]") == 2);
}

TEST_CASE("tests of two signs at once become two comparisons") {
    const Outcome outcome = run_body(
        "mov.u32 %r1, %tid.x; sub.s32 %r3, %r1, %a; sub.s32 %r4, %r1, 9; or.b32 %r5, %r3, %r4;"
        "setp.lt.s32 %p1, %r5, 0; selp.u32 %r2, 1, 2, %p1; and.b32 %r6, %r3, %r4; setp.gt.s32 %p2, %r6, -1;"
        "selp.u32 %r7, 1, 2, %p2; st.global.u32 [%mine], %r2; st.global.u32 [%mine+4], %r7;");
    CHECK(std::ranges::count(operations(outcome.own()), "SETP.LT.S32") == 0);
    CHECK(std::ranges::count(operations(outcome.own()), "DEQ.PRED") == 2);
}

TEST_CASE("whether a union is zero becomes two comparisons, whether an intersection is does not") {
    const auto left = [](const std::string& operation, const std::string& comparison, std::uint32_t a = 9) {
        const Outcome outcome = run_body("mov.u32 %r1, %tid.x; sub.s32 %r3, %r1, %a; sub.s32 %r4, %r1, 9; " +
                                             operation + ".b32 %r5, %r3, %r4; setp." + comparison +
                                             " %p1, %r5, 0; selp.u32 %r2, 1, 2, %p1; st.global.u32 [%mine], %r2;",
                                         {2, 1, 1}, {64, 1, 1}, a);
        return std::ranges::count(operations(outcome.own()), "DEQ.PRED");
    };
    CHECK(left("or", "eq.s32") == 1);
    CHECK(left("or", "ne.u32") == 1);
    CHECK(left("or", "eq.u32", 7) == 1);  // both hold for no thread
    CHECK(left("or", "ne.s32", 7) == 1);
    CHECK(left("and", "eq.s32") == 0);
    CHECK(left("or", "gt.s32") == 0);
    const Outcome wide = run_body(
        "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd5, %r1; mov.u32 %r3, %ctaid.x; cvt.u64.u32 %rd6, %r3; or.b64 %rd7, %rd5, "
        "%rd6;"
        "setp.eq.s64 %p1, %rd7, 0; selp.u32 %r2, 1, 2, %p1; st.global.u32 [%mine], %r2;");
    CHECK(std::ranges::count(operations(wide.own()), "DEQ.PRED") == 1);
}

/// The reader, in the kernel's own stream, of the result of the instruction with `text`.
std::string reader_of(const std::string& body, const std::string& text) {
    const isa::Kernel kernel = run_body(body).decoupled;
    for (std::uint32_t pc = 0; pc < kernel.own_size(); ++pc) {
        if (finaliser::print(kernel, pc).find(text) == std::string::npos) { continue; }
        for (const isa::Annotation& each : kernel.annotations) {
            if (each.instruction == pc && each.tag.starts_with("dac.read.")) { return each.tag.substr(9); }
        }
        return "";
    }
    return "gone";
}

TEST_CASE("what the kernel's own stream keeps of affine results is said by what reads it") {
    const std::string tid = "mov.u32 %r1, %tid.x; ";
    const std::string load = "ld.global.u32 %r2, [%in]; ";
    const std::string store = " st.global.u32 [%mine], %r2;";
    CHECK(
        reader_of(
            tid +
                "shl.b32 %r3, %r1, 2; mul.wide.u32 %rd1, %r1, 8; add.s64 %rd1, %in, %rd1; ld.global.u32 %r2, [%rd1];" +
                store,
            "SHL.B32") == "gone");
    CHECK(reader_of(tid + load + "xor.b32 %r3, %r1, 5; add.u32 %r2, %r2, %r3;" + store, "XOR") == "");  // no tuple
    CHECK(reader_of(tid + load + "mad.lo.u32 %r3, %r1, %a, 5; xor.b32 %r2, %r2, %r3;" + store, "MAD.LO.U32") ==
          "value");
    CHECK(reader_of(
              tid + load + "mad.lo.u32 %r3, %r1, %a, 5; setp.lt.u32 %p1, %r2, %r3; selp.u32 %r2, 1, 2, %p1;" + store,
              "MAD.LO.U32") == "predicate");
    // The first one of the list, including those that read it through others.
    CHECK(reader_of(tid + load +
                        "mad.lo.u32 %r3, %r1, %a, 5; sub.s32 %r4, %r3, 2; setp.lt.u32 %p1, %r2, %r4; selp.u32 %r2, "
                        "%r3, 2, %p1;" +
                        store,
                    "MAD.LO.U32") == "predicate");
    CHECK(reader_of(tid +
                        "and.b32 %r2, %r1, 15; mad.lo.u32 %r3, %r2, 4, 0; ld.volatile.global.u32 %r5, [%out]; "
                        "mad.lo.u32 %r6, %r1, 8, 16; cvt.u64.u32 %rd5, %r6; add.s64 %rd6, %out, %rd5; "
                        "ld.volatile.global.u32 %r2, [%rd6];" +
                        store,
                    "MAD.LO.U32") == "access");
    CHECK(reader_of(".shared .align 4 .b8 held[1024]; " + tid + load +
                        "mad.lo.u32 %r3, %r1, 8, 16; st.shared.u32 [%r3], %r2; ld.shared.u32 %r2, [%r3+4];" + store,
                    "MAD.LO.U32") == "shared");
}

TEST_CASE("nesting that the affine stack holds is decoupled, deeper nesting refuses the kernel by name") {
    const auto nested = [](unsigned depth) {
        std::string body = "mov.u32 %r1, %tid.x; ", end;
        for (unsigned i = 0; i < depth; ++i) {
            body += "setp.lt.u32 %p" + std::to_string(i) + ", %r1, " + std::to_string(60 - i) + "; @%p" +
                    std::to_string(i) + " bra D" + std::to_string(i) + "; ";
            end = "D" + std::to_string(i) + ": add.u32 %r9, %r9, 1; " + end;
        }
        return run_body("mov.u32 %r9, 0; " + body + "ld.global.u32 %r2, [%in]; st.global.u32 [%mine], %r2; " + end +
                        "st.global.u32 [%mine+4], %r9;")
            .says("LD.GLOBAL");
    };
    CHECK(nested(7) == "decoupled");
    CHECK(nested(8) == "stays.nesting");
}

TEST_CASE("as many divergent conditions as the DCRF has are decoupled, more refuse the kernel by name") {
    const auto conditions = [](unsigned count) {
        std::string body = "mov.u32 %r1, %tid.x; ";
        for (unsigned i = 0; i < count; ++i) {
            body += "setp.lt.u32 %p1, %r1, " + std::to_string(5 + i) +
                    "; selp.u32 %r3, 4, 0, %p1; cvt.u64.u32 %rd1, %r3;" +
                    "add.s64 %rd1, %in, %rd1; ld.global.u32 %r2, [%rd1]; st.global.u32 [%mine+4], %r2;";
        }
        return body;
    };
    CHECK(run_body(conditions(8)).says("LD.GLOBAL") == "decoupled");
    CHECK(run_body(conditions(9)).says("LD.GLOBAL") == "stays.registers");
    // An access of shared memory that would be one too many stays.
    const Outcome fewer = run_with(".shared .align 4 .b8 held[64];" + conditions(8) +
                                       "setp.lt.u32 %p1, %r1, 20; selp.u32 %r3, 4, 0, %p1; ld.shared.u32 %r2, [%r3];"
                                       "st.global.u32 [%mine+8], %r2;",
                                   "dac.shared_accesses=true");
    CHECK(fewer.says("LD.GLOBAL") == "decoupled");
    CHECK(fewer.says("LD.SHARED") == "stays.space");
}

TEST_CASE("the register that holds what a decoupled load brings is its own") {
    // Figure 7: a store through an address that may be the load's does not hold the load back.
    const Outcome outcome = run_body(
        "mov.u32 %r9, 0; L: ld.global.u32 %r2, [%mine]; add.u32 %r2, %r2, 1; st.global.u32 [%mine], %r2;"
        "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra L;");
    CHECK(outcome.says("LD.GLOBAL") == "decoupled");
    CHECK(outcome.says("ST.GLOBAL") == "decoupled");
}

/// Ten loads from separate addresses; values and addresses live until the stores after them, and a branch skips half of
/// these for some lanes.
std::string crowded() {
    std::string body = "mov.u32 %r1, %tid.x;", loads, stores;
    for (int i = 0; i < 10; ++i) {
        const std::string n = std::to_string(i), address = "%rd" + n, value = "%r" + std::to_string(10 + i);
        body += "mad.lo.u32 %r2, %gid, " + std::to_string(4 * i + 4) + ", %a; mul.wide.u32 " + address + ", %r2, 4;" +
                "add.s64 " + address + ", %out, " + address + "; ld.global.u32 " + value + ", [" + address + "];";
    }
    for (int i = 0; i < 10; ++i) {
        const std::string value = "%r" + std::to_string(10 + i);
        if (i == 5) { body += "setp.lt.u32 %p1, %r1, 40; @%p1 bra N;"; }
        body += "mad.lo.u32 " + value + ", " + value + ", " + value + ", %r19; st.global.u32 [%rd" + std::to_string(i) +
                "], " + value + ";";
    }
    return body + "N: st.global.u32 [%mine], %r10;";
}

finaliser::FinaliserOptions with_registers(unsigned registers) {
    finaliser::FinaliserOptions options;
    options.isa.registers = registers;
    return options;
}

}  // namespace

TEST_CASE("a limit on a thread's registers spills the warps' values, and none of the affine stream's") {
    for (const bool again : {true, false}) {
        CAPTURE(again);
        finaliser::FinaliserOptions options = with_registers(8);
        options.rematerialise = again;
        const std::string text = kernel_text(crowded());
        const Outcome low = run(text, {2, 1, 1}, {64, 1, 1}, {7, 3}, options);
        CHECK(low.decoupled.registers <= 8);
        CHECK(count(low.own(), "LD.LOCAL") > 0);
        CHECK(count(low.own(), "ST.LOCAL") > 0);
        CHECK(count(low.affine(), "LOCAL") == 0);
        CHECK(dac::affine_program(low.decoupled)->registers > 8);
        const Outcome high = run(text, {2, 1, 1}, {64, 1, 1}, {7, 3}, with_registers(63));
        CHECK(low.affine().size() == high.affine().size());
        CHECK(low.compared == high.compared);
    }
}

TEST_CASE("a kernel whose affine stream needs more registers than instructions can name is refused by name") {
    const auto finalised = [](unsigned values) {
        // Sums of numbers that depend only on the block's index: each is read again after all others.
        std::string body = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0;", rest;
        std::string registers = ".reg .b32 %s<300>;";
        for (unsigned i = 0; i < values; ++i) {
            const std::string n = std::to_string(i);
            body += "add.u32 %s" + n + ", %r1, %r2; mul.lo.u32 %r2, %s" + n + ", " + std::to_string(2 * i + 3) + ";";
            rest = "mad.lo.u32 %r2, %r2, 5, %s" + n + ";" + rest;
        }
        body += rest + "and.b32 %r2, %r2, 255; mul.wide.u32 %rd1, %r2, 4; add.s64 %rd1, %in, %rd1;" +
                "ld.global.u32 %r3, [%rd1]; st.global.u32 [%mine], %r3;";
        const ptx::Module module = ptx::parse_module(kernel_text(registers + body), "test.ptx");
        return finaliser::finalise(module, module.functions[0], with("dac", with_registers(20)));
    };
    const isa::Program* most = nullptr;
    const isa::Kernel fits = finalised(200);
    REQUIRE((most = dac::affine_program(fits)) != nullptr);
    CHECK(most->registers > 200);
    CHECK_THROWS_WITH_AS(finalised(280), doctest::Contains("in its affine program"), InputError);
}

TEST_CASE("predicates beyond a limit are kept in registers, those that are dequeued under a guard too") {
    std::string body = "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; setp.lt.u32 %p0, %r1, 50;";
    for (int i = 1; i < 6; ++i) {
        body += "setp.gt.u32 %p" + std::to_string(i) + ", %r1, 62; @%p0 setp.lt.u32 %p" + std::to_string(i) +
                ", %r1, " + std::to_string(7 * i) + ";";
    }
    body += "mov.u32 %r9, 0; L:";  // they are read in each iteration
    for (int i = 1; i < 6; ++i) { body += "@%p" + std::to_string(i) + " add.u32 %r2, %r2, " + std::to_string(i) + ";"; }
    body += "add.u32 %r9, %r9, 1; setp.lt.u32 %p9, %r9, 3; @%p9 bra L; st.global.u32 [%mine], %r2;";
    for (unsigned limit = 7; limit >= 2; --limit) {
        CAPTURE(limit);
        finaliser::FinaliserOptions options = with_registers(limit % 2 == 0 ? 9 : 63);
        options.predicate_limit = limit;
        const Outcome outcome = run(kernel_text(body), {2, 1, 1}, {64, 1, 1}, {7, 3}, options);
        CHECK(outcome.decoupled.predicates <= limit);
        CHECK(count(outcome.own(), "DEQ.PRED") >= 10);
    }
}
