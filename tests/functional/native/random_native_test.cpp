// Random PTX by way of ptxas and native code on the emulator, under both SIMT models, against the scalar interpreter.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "tests/components/frontend/finaliser/random_ptx.h"
#include "tests/components/isa/handler_harness.h"
#include "tests/functional/census/statement_kernels.h"
#include "tests/functional/native/native_device.h"
#include "tests/functional/scalar_interpreter/scalar_interpreter.h"
#include "tests/functional/simt/random_program.h"
#include "tests/support/random_text.h"
#include "tests/support/seed.h"

namespace lookahead::test {
namespace {

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// Programs that were run, and the refusals of kernels that were not, by instruction.
struct Tally {
    unsigned run = 0, refused = 0, beyond_stack = 0;
    std::map<std::string, unsigned> refusals;

    void refuse(const std::string& message) {
        ++refused;
        const std::size_t text = message.find(": ", message.find(", address ")) + 2, reason = message.find("): ", text);
        ++refusals[message.substr(text, 20) + " ..." + message.substr(reason)];
    }
};

unsigned drawn_architecture(std::mt19937_64& draw) {
    return kArchitectures[draw() % std::size(kArchitectures)];
}

// ---- Statements of the census ----

/// What may precede a statement, so that its sources are numbers, parameters, uniform values or have modifiers.
const RandomText::Names kPreludes = {
    {"prelude", {"", "", "", "<integer>", "<integer>", "<integer> <integer>", "<integer> <integer> <integer>"}},
    {"number", {"<0|1|4|31|32|33|255|4660|65535|65536|2147483647|-2147483648|-1|-2|-32768>"}},
    {"single", {"0f<00000000|80000000|3F800000|BFC00000|7F800000|00000001|007FFFFF|41200000|7F7FFFFF>"}},
    {"double", {"0d<0000000000000000|8000000000000000|3FF0000000000000|C059000000000000|7FEFFFFF00000000>"}},
    {"integer",
     {"mov.b32 %r<1..3>, <number>;",
      "mov.b32 %r<1..3>, <number>;",
      "mov.b64 %rd<1..3>, <number>;",
      "mov.b16 %h<1..3>, <0|1|7|255|32767|15360|-1>;",
      "mov.f32 %f<1..3>, <single>;",
      "mov.f64 %d<1..3>, <double>;",
      "ld.param.u32 %r<1..3>, [unused];",
      "ld.param.f32 %f<1..3>, [unused];",
      "ld.param.u64 %rd<1..3>, [wide];",
      "ld.param.f64 %d<1..3>, [wide];",
      "ld.param.u32 %r<1..3>, [unused]; add.u32 %r2, %r2, <number>;",
      "mov.u32 %r<1..3>, %ntid.x;",
      "mov.u32 %r<1..3>, %tid.x;",
      "<not.b32|neg.s32> %r<1..3>, %r<1..3>;",
      "shl.b32 %r<1..3>, %r<1..3>, <1..5>;",
      "mul.wide.u32 %rd<1..3>, %r<1..3>, <4|12>;",
      "<not.b64|neg.s64> %rd<1..3>, %rd<1..3>;",
      "cvt.<s64.s32|u64.u32> %rd<1..3>, %r<1..3>;",
      "not.pred %p1, %p1;",
      "mov.b32 %r<1..3>, {%h<1..3>, %h<1..3>};",
      "cvt.u16.u32 %h<1..3>, %r<1..3>;",
      "mov.u32 %r<1..3>, %r<1..3>;",
      "mov.u64 %rd<1..3>, %rd<1..3>;"}},
    // What becomes of a NaN's sign is not determined, so only before statements that make numbers anew.
    {"sign", {"<neg|abs>.f32 %f<1..3>, %f<1..3>;", "<neg|abs>.f64 %d<1..3>, %d<1..3>;"}}};

/// Whether ptxas takes it. It refuses to clamp to a range that holds all values.
bool compiles(const std::string& text, unsigned architecture) {
    if (text.starts_with("shfl.") && !has(text, ".sync")) { return false; }
    // The sign of a NaN, which PTX leaves open; what ptxas stores above 16 bits of such a result.
    if ((text.starts_with("neg.") || text.starts_with("abs.")) && has(text, ".f")) { return false; }
    if (text.starts_with("set.") && has(text, ".f16.f16 ")) { return false; }
    // Whether what is rounded up to a normal number is flushed; ptxas ignores .ftz there; addresses of constants are
    // not the interpreter's.
    if (has(text, ".ftz") && (has(text, ".f32.f64") || text.starts_with("rcp."))) { return false; }
    if (has(text, ".ftz.f16.f32") || has(text, "%r0, work") || has(text, "cvta.") || has(text, "constants+")) {
        return false;
    }
    if (architecture < 80 && (has(text, "redux") || (has(text, ".f16") && (has(text, "min.") || has(text, "max."))))) {
        return false;
    }
    char to = 0, from = 0;
    unsigned to_bits = 0, from_bits = 0;
    if (std::sscanf(text.c_str(), "cvt.sat.%c%u.%c%u ", &to, &to_bits, &from, &from_bits) != 4) { return true; }
    return from == 'f' || (to == from ? to_bits < from_bits : from == 's' || to_bits <= from_bits);
}

bool is_product(const std::string& text) {
    return text.starts_with("mul.") && has(text, ".f") && !has(text, ".r");
}

/// The statement with a prelude, at times with a guard, at times on the result of another one.
Statement dressed(const Statement& statement, const std::vector<Statement>& all, RandomText& random) {
    Statement result = statement;
    const bool alone = has(statement.text, ".sync") || has(statement.text, "bar") || has(statement.text, ":") ||
                       has(statement.text, "{") || has(statement.text, ".align") || has(statement.text, "testp") ||
                       statement.text.starts_with("set.") || has(statement.text, "ret") || has(statement.text, "exit");
    if (!alone && random.one_in(4)) { result.text = random.fill("@<|!>%p1 ") + result.text; }
    // What PTX leaves open: quotients by 0, and places of bits beyond 255.
    if (statement.text.starts_with("div.") || statement.text.starts_with("rem.")) {
        result.text = "or.b16 %h2, %h2, 1; or.b32 %r2, %r2, 1; or.b64 %rd2, %rd2, 1; " + result.text;
    }
    if (statement.text.starts_with("bf")) {
        result.text = "and.b32 %r2, %r2, 255; and.b32 %r3, %r3, 255; and.b32 %r4, %r4, 255; " + result.text;
    }
    static constexpr const char* kNewNumbers[] = {"add.", "sub.", "mul.", "fma.", "setp.", "div.", "sqrt.", "rcp."};
    const bool makes_anew =
        std::ranges::any_of(kNewNumbers, [&](auto* name) { return statement.text.starts_with(name); });
    if (makes_anew && random.one_in(3)) { result.text = random.fill("<sign>") + " " + result.text; }
    // ptxas forgets to clamp a half that was made from an integer.
    if (random.one_in(3) && !has(statement.text, "cvt.sat.f16.f16")) {
        const Statement& first = all[random.below(static_cast<unsigned>(all.size()))];
        static const std::map<std::string, std::string> kBits = {
            {"r", "32"}, {"f", "32"}, {"h", "16"}, {"rd", "64"}, {"d", "64"}};
        const auto bits = kBits.find(first.destination);
        const bool is_open =
            first.text.starts_with("div.") || first.text.starts_with("rem.") || first.text.starts_with("bf");
        if (bits != kBits.end() && !is_product(first.text) && !is_undetermined(first.text) && !is_open &&
            !has(first.text, "shfl.")) {
            result.text =
                fmt::format("{0} mov.b{1} %{2}1, %{2}0; ", first.text, bits->second, first.destination) + result.text;
        }
    }
    result.text = random.fill("<prelude>") + " " + result.text;
    return result;
}

/// Whether both words are equal, or have NaNs of the bank's type and are equal besides.
bool is_same(const std::string& bank, std::uint64_t found, std::uint64_t expected) {
    const auto both = [&](std::uint64_t value, std::uint64_t infinity) {
        const std::uint64_t magnitude = infinity | ((infinity & (~infinity + 1)) - 1);
        return (found & magnitude) > infinity && (expected & magnitude) > infinity && (found ^ expected) <= value;
    };
    return found == expected || (bank == "d" && both(~std::uint64_t{0}, 0x7ff0000000000000)) ||
           (bank == "f" && both(0xffffffff, 0x7f800000)) || (bank == "h" && both(0xffff, 0x7c00));
}

std::string first_difference(const Statement& statement, const std::vector<std::uint64_t>& found,
                             const std::vector<std::uint64_t>& expected) {
    std::size_t at = 0;
    while (at < found.size() && is_same(statement.destination, found[at], expected[at])) { ++at; }
    return at == found.size() ? ""
                              : fmt::format("thread {}, word {} is {:x}, the interpreter has {:x}", at / 16, at % 16,
                                            found[at], expected[at]);
}

/// A module with these statements; reports every one that differs.
void check_statements(const std::vector<Statement>& statements, unsigned architecture, Tally& tally) {
    const std::string text = statement_module(statements);
    const native::Cubin cubin = compile_native(text, architecture);
    const ptx::Module module = ptx::parse_module(text, "random.ptx");
    const std::vector<std::uint64_t> memory = statement_inputs();
    for (unsigned i = 0; i < statements.size(); ++i) {
        ScalarInterpreter interpreter(module);
        const std::vector<std::uint64_t> expected = run_statement(interpreter, i, memory);
        ++tally.run;
        for (const isa::SimtModel simt : kModels) {
            EmulatedDevice device = native_device(cubin, simt);
            std::string difference;
            try {
                difference = first_difference(statements[i], run_statement(device, i, memory), expected);
            } catch (const InputError& error) {
                tally.refuse(error.what());
                break;
            } catch (const std::exception& error) { difference = error.what(); }
            if (difference.empty()) { continue; }
            FAIL_CHECK(fmt::format("sm_{}: {}\n    {}", architecture, statements[i].text, difference));
            break;
        }
    }
}

void report(const Tally& tally) {
    MESSAGE(tally.run << " kernels, " << tally.refused << " refused, " << tally.beyond_stack << " beyond a stack");
    for (const auto& [what, times] : tally.refusals) { MESSAGE(times << " x " << what); }
}

#define REQUIRE_PTXAS()               \
    if (!has_ptxas()) {               \
        MESSAGE("skipped: no ptxas"); \
        return;                       \
    }

TEST_CASE("statements of the census with random operands give the interpreter's bits") {
    REQUIRE_PTXAS();
    const std::uint64_t seed = isa::test::random_bits()();
    std::mt19937_64 draw(seed);
    RandomText random(seed, kPreludes);
    const std::vector<Statement> arithmetic = arithmetic_statements();
    std::vector<Statement> all = arithmetic;
    std::ranges::copy(other_statements(), std::back_inserter(all));
    constexpr unsigned kEach = 100;
    Tally tally;
    for (const unsigned architecture : kArchitectures) {
        std::vector<Statement> possible;
        for (const Statement& each : all) {
            if (compiles(each.text, architecture) && !is_undetermined(each.text)) { possible.push_back(each); }
        }
        std::ranges::shuffle(possible, draw);
        possible.resize(std::min<std::size_t>(possible.size(), often(2 * kEach)));
        std::vector<Statement> firsts;
        for (const Statement& each : arithmetic) {
            if (compiles(each.text, architecture)) { firsts.push_back(each); }
        }
        for (std::size_t at = 0; at < possible.size(); at += kEach) {
            std::vector<Statement> part;
            for (std::size_t i = at; i < std::min(at + kEach, possible.size()); ++i) {
                part.push_back(dressed(possible[i], firsts, random));
            }
            check_statements(part, architecture, tally);
        }
    }
    report(tally);
}

// ---- Whole programs ----

/// Fields that reach beyond a word, for which ptxas has its own rules when it knows where they are; and tables of which
/// two sources are the same, and bytes' signs, which ptxas 13 merges wrongly (lop3 with 161 of x, y, x, then or with
/// y).
bool is_open(const std::string& line) {
    static const std::regex kField(R"(bf[ei]\.\w+ .*, (\S+), (\S+);)"), kNumber(R"(\d+)");
    static const std::regex kBytes(R"(prmt\.b32 \S+, \S+, \S+, (\d+);)");
    static const std::regex kTable(R"(lop3\.b32 \S+, (\S+), (\S+), (\S+), )");
    std::smatch found;
    if (std::regex_search(line, found, kField)) {
        const bool known = std::regex_match(found.str(1), kNumber) && std::regex_match(found.str(2), kNumber);
        return !known || std::stoi(found.str(1)) + std::stoi(found.str(2)) > 32;
    }
    if (std::regex_search(line, found, kBytes)) { return (std::stoi(found.str(1)) & 0x8888) != 0; }
    return std::regex_search(line, found, kTable) &&
           (found[1] == found[2] || found[1] == found[3] || found[2] == found[3]);
}

/// The program without what PTX leaves open: quotients by 0, the bits of NaNs, the contraction of sums of products. And
/// without what ptxas 13 merges wrongly: products shifted by 64 or more (mul.wide.s32 by 86, then shl.b64 by 171, gives
/// the product), and a copy of a predicate that changes under a guard (and.pred p0, p4, p4; @!p2 and.pred p4, p3, p3;
/// what @p0 guards is then guarded by the new p4).
std::string determined(const std::string& text) {
    static const std::pair<std::regex, const char*> kRules[] = {
        {std::regex(R"(^(div\.s32|rem\.u32) (\S+), (\S+), (\S+);$)"), "or.b32 %r25, $4, 1;\n$1 $2, $3, %r25;"},
        {std::regex(R"((shl\.b64 \S+, \S+), (6[4-9]|[7-9]\d|\d{3,});)"), "$1, 63;"},
        {std::regex(R"((shl\.b64 \S+, \S+), %r\d+;)"), "$1, 17;"},
        {std::regex(R"(@!?%p\d (and\.pred) )"), "$1 "},
        {std::regex(R"(^((div\.s64|rem\.u64) .*)$)"), "or.b64 %rd2, %rd2, 1;\n$1"},
        {std::regex(R"(^((div\.u16|rem\.s16) .*)$)"), "or.b16 %h1, %h1, 1;\n$1"},
        {std::regex(R"(^(mov\.b64 \{.*\}, %d3;)$)"),
         "setp.nan.f64 %p5, %d3, %d3;\n@%p5 mov.f64 %d3, 0d7FF8000000000000;\n$1"},
        {std::regex(R"(^(mov\.b32 %r\d+, (%f[13]);)$)"), "setp.nan.f32 %p5, $2, $2;\n@%p5 mov.f32 $2, 0f7FFFFFFF;\n$1"},
        {std::regex(R"((add|mul)\.f32)"), "$1.rn.f32"}};
    std::istringstream lines(text);
    std::string result, line;
    while (std::getline(lines, line)) {
        if (is_open(line)) { continue; }
        for (const auto& [pattern, instead] : kRules) { line = std::regex_replace(line, pattern, instead); }
        result += line;
        result += '\n';
    }
    return result;
}

/// Runs it under both models; the function gives what its device leaves. ptxas may copy what threads do together
/// into both ways of a branch, which a stack cannot run.
template <class Run, class Memory>
void check_program(const std::string& text, unsigned architecture, std::uint64_t seed, const Memory& expected, Run run,
                   Tally& tally) {
    const native::Cubin cubin = compile_native(text, architecture);
    ++tally.run;
    for (const isa::SimtModel simt : kModels) {
        EmulatedDevice device = native_device(cubin, simt);
        std::string difference;
        try {
            if (run(device) != expected) { difference = "the memory differs"; }
        } catch (const InputError& error) { return tally.refuse(error.what()); } catch (const std::exception& error) {
            difference = error.what();
        }
        const bool is_stack = simt == isa::SimtModel::stack;
        const bool is_apart =
            has(difference, "inside a divergent branch") || has(difference, "whose member mask names");
        if (is_stack && is_apart) {
            ++tally.beyond_stack;
            continue;
        }
        CHECK_MESSAGE(difference.empty(), fmt::format("sm_{}, {}, seed {}: {}\n{}", architecture,
                                                      is_stack ? "stack" : "barriers", seed, difference, text));
    }
}

TEST_CASE("random programs give what each thread computes") {
    REQUIRE_PTXAS();
    std::mt19937_64 draw(isa::test::random_bits()());
    Tally tally;
    for (std::uint64_t i = 0; i < often(24); ++i) {
        const std::uint64_t seed = draw();
        Program program = random_program(seed);
        program.text = determined(program.text);
        unsigned architecture = drawn_architecture(draw);
        while (architecture < 80 && has(program.text, "redux")) { architecture = drawn_architecture(draw); }
        const auto run = [&](Device& device) { return run_on(device, program); };
        check_program(program.text, architecture, seed, interpret(program), run, tally);
    }
    report(tally);
}

TEST_CASE("random kernels of all widths give what each thread computes") {
    REQUIRE_PTXAS();
    std::mt19937_64 draw(isa::test::random_bits()());
    Tally tally;
    for (std::uint64_t i = 0; i < often(24); ++i) {
        const std::uint64_t seed = draw();
        const std::uint32_t threads = seed % 3 == 0 ? 50 : 6;
        const std::string text = determined(finaliser::test::random_ptx(seed, threads));
        const unsigned architecture = drawn_architecture(draw);
        const ptx::Module module = ptx::parse_module(text, "random.ptx");
        ScalarInterpreter interpreter(module);
        const auto expected = finaliser::test::memory_after(interpreter, seed, threads);
        const auto run = [&](Device& device) { return finaliser::test::memory_after(device, seed, threads); };
        check_program(text, architecture, seed, expected, run, tally);
    }
    report(tally);
}

}  // namespace
}  // namespace lookahead::test
