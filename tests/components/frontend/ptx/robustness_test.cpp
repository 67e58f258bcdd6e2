#include <doctest/doctest.h>

#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "components/frontend/ptx/cfg.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "tests/components/frontend/ptx/test_support.h"
#include "tests/support/seed.h"

namespace lookahead::ptx {
namespace {

using Random = std::mt19937_64;

constexpr const char* kFiles[] = {"vecadd.ptx",     "sgemm.ptx",       "hotspot.ptx",
                                  "histogram.ptx",  "bfs.ptx",         "inline_assembler.ptx",
                                  "llvm_style.ptx", "old_compiler.ptx"};

/// Parses and follows everything that later stages follow without checks: indices must be in range.
bool parses(const std::string& text) {
    try {
        const Module module = parse_module(text, "mutated.ptx");
        for (const Function& function : module.functions) {
            for (const Instruction& instruction : function.instructions) {
                REQUIRE(instruction.destination_count <= instruction.operands.size());
                if (instruction.guard) { REQUIRE(instruction.guard->reg < function.registers.size()); }
                for (const Operand& operand : instruction.operands) {
                    if (operand.kind == OperandKind::reg) { REQUIRE(operand.reg < function.registers.size()); }
                    if (operand.kind == OperandKind::label) { REQUIRE(operand.target <= function.instructions.size()); }
                }
            }
            immediate_post_dominators(build_cfg(function).graph);
        }
        return true;
    } catch (const InputError& error) {
        const std::string message = error.what();
        REQUIRE(message.starts_with("mutated.ptx:"));
        return false;
    }
}

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

std::string mutate(std::string text, Random& random) {
    const auto at = [&](std::size_t size) { return static_cast<std::size_t>(random() % (size + 1)); };
    static const std::vector<std::string> pieces = words_of(
        "{ } [ ] ( ) ; , : | @ ! % . < > - + 0 1 0x 0f 99999999999999999999 /* // \" .reg .param .global .u32 .f64 .v2 "
        ".pred bra ret; _ %r1 %rd1 %tid.x L:");
    const auto piece = [&] {
        const std::string& word = pieces[random() % pieces.size()];
        return random() % 4 == 0 ? word + "\n" : word;
    };
    for (auto count = 1 + random() % 4; count > 0; --count) {
        const std::size_t place = at(text.size());
        const std::size_t length = at(12);
        switch (random() % 5) {
            case 0:
                text.erase(place, length);
                break;
            case 1:
                text.insert(place, piece());
                break;
            case 2:
                if (place < text.size()) { text[place] = static_cast<char>(random()); }
                break;
            case 3:
                text.insert(at(text.size()), text.substr(place, 4 * length));
                break;
            default:
                text.replace(place, length, piece());
        }
    }
    return text;
}

}  // namespace

TEST_CASE("mutated PTX parses or is refused, and never does anything else") {
    Random random(lookahead::test::random_seed());
    std::size_t accepted = 0;
    std::size_t refused = 0;
    for (const char* file : kFiles) {
        const std::string text = test::read_data(file);
        for (int round = 0; round < 700; ++round) {
            const std::string mutated = mutate(text, random);
            CAPTURE(mutated);
            parses(mutated) ? ++accepted : ++refused;
        }
    }
    // Both must happen often, else the mutations test nothing.
    CHECK(accepted > 100);
    CHECK(refused > 1000);
}

TEST_CASE("PTX that ends early is refused or ends between functions") {
    for (const char* file : kFiles) {
        const std::string text = test::read_data(file);
        for (std::size_t length = 0; length < text.size(); length += 7) { parses(text.substr(0, length)); }
    }
}

TEST_CASE("shuffled tokens of PTX never crash the parser") {
    Random random(lookahead::test::random_seed());
    const std::vector<std::string> words =
        words_of(test::read_data("llvm_style.ptx") + test::read_data("inline_assembler.ptx"));
    for (int round = 0; round < 3000; ++round) {
        std::string body;
        for (int i = 0; i < 30; ++i) { body += words[random() % words.size()] + " "; }
        CAPTURE(body);
        parses(test::with_body(body));
    }
}

}  // namespace lookahead::ptx
