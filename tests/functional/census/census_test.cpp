// Every instruction in the census of real programs, with its types and modifiers, is accepted, executes, and gives the
// same bits as the scalar interpreter, on edge values and random ones, if PTX determines them.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "tests/components/isa/handler_harness.h"
#include "tests/core/error/error_of.h"
#include "tests/functional/census/statement_kernels.h"
#include "tests/functional/scalar_interpreter/scalar_interpreter.h"

using namespace lookahead;

namespace {

/// An instruction that the census excludes, and the name that the refusal must give.
struct Refused {
    const char* statement;
    const char* name;
};
constexpr Refused kRefused[] = {
    {"mov.u32 %r0, %envreg3;", "%envreg3"},
    {".param .b64 kernel; .param .b64 got; st.param.b64 [kernel], %rd1; call.uni (got), cudaGetParameterBufferV2, "
     "(kernel);",
     "cudaGetParameterBufferV2"},
};

struct Tally {
    unsigned executed = 0;
    unsigned compared = 0;
    std::vector<std::string> failures;
};

/// On a machine that may have registers of one word and one constant an instruction.
void try_statement(const test::Statement& statement, Tally& tally) {
    const std::vector<std::uint64_t> memory = test::statement_inputs();
    finaliser::FinaliserOptions options;
    options.isa.expand_64bit = options.isa.single_constant = isa::test::random_bits()() % 2 == 0;
    std::vector<std::uint64_t> result;
    ptx::Module module;
    try {
        module = ptx::parse_module(test::statement_module({statement}), "form.ptx");
        EmulatedDevice device(finaliser::finalise_module(module, options));
        result = test::run_statement(device, 0, memory);
        ++tally.executed;
    } catch (const std::exception& error) {
        tally.failures.push_back(statement.text + ": " + error.what());
        return;
    }
    if (test::is_undetermined(statement.text)) { return; }
    std::vector<std::uint64_t> expected;
    try {
        test::ScalarInterpreter interpreter(module);
        expected = test::run_statement(interpreter, 0, memory);
    } catch (const InputError& error) {
        tally.failures.push_back(statement.text + ": " + error.what());
        return;
    }
    ++tally.compared;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (result[i] == expected[i]) { continue; }
        char text[160];
        std::snprintf(text, sizeof text, ": thread %zu, word %zu is %llx, the interpreter has %llx", i / 16, i % 16,
                      static_cast<unsigned long long>(result[i]), static_cast<unsigned long long>(expected[i]));
        tally.failures.push_back(statement.text + text);
        return;
    }
}

void report(const Tally& tally, unsigned least) {
    MESSAGE(tally.executed << " executed, " << tally.compared << " compared with the interpreter");
    CHECK(tally.executed >= least);
    for (const std::string& failure : tally.failures) { FAIL_CHECK(failure); }
}

}  // namespace

TEST_CASE("every arithmetic, comparison, conversion and warp instruction of the census gives its bits") {
    Tally tally;
    for (const test::Statement& statement : test::arithmetic_statements()) { try_statement(statement, tally); }
    report(tally, 1600);
}

TEST_CASE("every move, access, atomic, barrier and special register of the census gives its bits") {
    Tally tally;
    for (const test::Statement& statement : test::other_statements()) { try_statement(statement, tally); }
    report(tally, 500);
}

TEST_CASE("what the census leaves out is refused by its name and line") {
    for (const Refused& refused : kRefused) {
        const std::string text =
            test::statement_module({{refused.statement, ""}},
                                   ".extern .func (.param .b64 got) cudaGetParameterBufferV2(.param .b64 kernel);\n");
        const std::string message =
            test::error_of<InputError>([&] { finaliser::finalise_module(ptx::parse_module(text, "form.ptx"), {}); });
        INFO(message);
        CHECK(message.find(refused.name) != std::string::npos);
        const auto line =
            1 + std::count(text.begin(), text.begin() + static_cast<long>(text.find(refused.statement)), '\n');
        CHECK(message.starts_with("form.ptx:" + std::to_string(line) + ":"));
    }
}
