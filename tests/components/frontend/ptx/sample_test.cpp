#include <doctest/doctest.h>

#include <sstream>

#include "components/frontend/ptx/cfg.h"
#include "components/frontend/ptx/parse_module.h"
#include "tests/components/frontend/ptx/test_support.h"

namespace lookahead::ptx {
namespace {

/// The lines with an instruction, in PTX with one instruction per line: they end with a semicolon and begin with a
/// guard or a letter.
std::vector<std::uint32_t> instruction_lines(const std::string& text) {
    std::istringstream lines(text);
    std::vector<std::uint32_t> result;
    std::string line;
    for (std::uint32_t number = 1; std::getline(lines, line); ++number) {
        const std::size_t first = line.find_first_not_of(" \t");
        const bool begins =
            first != std::string::npos && (line[first] == '@' || (line[first] >= 'a' && line[first] <= 'z'));
        if (begins && line.back() == ';') { result.push_back(number); }
    }
    return result;
}

Module parse_data(const std::string& name) {
    return parse_module(test::read_data(name), name);
}

}  // namespace

TEST_CASE("every instruction line of nvcc's kernels becomes one instruction") {
    const std::pair<const char*, std::size_t> kernels[] = {
        {"vecadd", 22}, {"sgemm", 103}, {"hotspot", 98}, {"histogram", 37}, {"bfs", 100}};
    for (const auto& [name, count] : kernels) {
        CAPTURE(name);
        const Module module = parse_data(std::string(name) + ".ptx");
        REQUIRE(module.functions.size() == 1);
        const Function& kernel = *module.find_kernel(name);
        std::vector<std::uint32_t> lines;
        for (const Instruction& instruction : kernel.instructions) { lines.push_back(instruction.line); }
        CHECK(lines.size() == count);
        CHECK(lines == instruction_lines(module.source));
    }
}

TEST_CASE("nvcc's kernels have the parameters and shared arrays of their sources") {
    const Module sgemm = parse_data("sgemm.ptx");
    const Function& kernel = *sgemm.find_kernel("sgemm");
    REQUIRE(kernel.parameters.size() == 4);
    CHECK(kernel.parameters[3].offset == 24);
    CHECK(kernel.parameter_bytes == 28);
    REQUIRE(kernel.variables.size() == 2);
    CHECK(kernel.variables[0].size() == 1024);
    CHECK(kernel.variables[1].alignment == 4);
    CHECK(parse_data("hotspot.ptx").functions[0].variables[0].size() == 1296);
}

TEST_CASE("inline assembler with nested scopes and bare names parses") {
    const Module module = parse_data("inline_assembler.ptx");
    const Function& kernel = *module.find_kernel("spin");
    const Cfg cfg = build_cfg(kernel);
    std::size_t backward = 0;
    for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
        const Instruction& instruction = kernel.instructions[i];
        if (instruction.opcode == Opcode::bra && instruction.operands[0].target <= i) { ++backward; }
    }
    CHECK(backward == 2);
    CHECK(cfg.blocks.size() == 7);
}

TEST_CASE("PTX in the manner of clang parses: local depot, negated guards, calls over several lines") {
    const Module module = parse_data("llvm_style.ptx");
    CHECK(module.functions.size() == 4);
    CHECK(module.variables[0].initialiser.size() == 32);
    CHECK(module.find_function("walk")->variables[0].space == StateSpace::local);
    CHECK(module.find_kernel("walk_all") != nullptr);
}

TEST_CASE("PTX of an old compiler parses: ISA 3.2, 32-bit registers for shared memory, warp votes without masks") {
    const Module module = parse_data("old_compiler.ptx");
    CHECK(module.version_major == 3);
    CHECK(module.find_kernel("_Z5countPjS_")->variables[0].size() == 128);
}

TEST_CASE("PTX without blanks and comments parses to the same instructions") {
    const Module plain = parse_data("hotspot.ptx");
    std::string text;
    bool comment = false;
    for (std::size_t i = 0; i < plain.source.size(); ++i) {
        comment = (comment || plain.source.compare(i, 2, "//") == 0) && plain.source[i] != '\n';
        const bool indentation =
            (plain.source[i] == ' ' || plain.source[i] == '\t') && (text.empty() || text.back() == '\n');
        if (!comment && !indentation) { text += plain.source[i] == '\t' ? ' ' : plain.source[i]; }
    }
    text.push_back('\0');
    const Module stripped = parse_module(text, "stripped.ptx");
    const auto& expected = plain.functions[0].instructions;
    const auto& found = stripped.functions[0].instructions;
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) { CHECK(found[i].text == expected[i].text); }
}

}  // namespace lookahead::ptx
