#include "tests/functional/simt/three_devices.h"

#include <doctest/doctest.h>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/transport/in_process/in_process_transport.h"
#include "experiments/run/program.h"
#include "experiments/run/run.h"
#include "tests/functional/scalar_interpreter/scalar_interpreter.h"

namespace lookahead::test {
namespace {

const char* name_of(isa::SimtModel simt) {
    return simt == isa::SimtModel::stack ? "stack" : "convergence_barrier";
}

/// The program that the workload below runs, its expected result if the host's rank is to check it, and its result.
/// Tests run one at a time.
const Program* current = nullptr;
const std::vector<std::uint32_t>* current_expected = nullptr;
std::vector<std::uint32_t> current_result;

class PtxProgram final : public Workload {
  public:
    explicit PtxProgram(const WorkloadContext&) {}
    ProgramCode code() const override { return {current->text, "program.ptx"}; }
    void run(Device& device) override { current_result = run_on(device, *current); }
    CheckReport check() const override {
        const bool right = current_expected == nullptr || current_result == *current_expected;
        return right ? CheckReport{Outputs::match, ""} : CheckReport{Outputs::mismatch, "not the expected words"};
    }
};
LOOKAHEAD_REGISTER_VARIANT(Workload, PtxProgram, "ptx_program", "A kernel of the tests.", "tests/functional/simt")

Configuration configuration_of(const Program& program, isa::SimtModel simt) {
    Configuration configuration = Configuration::from_toml("", "test.toml");
    configuration.override_value(std::string("sm.simt=") + name_of(simt));
    for (const std::string& option : program.options) { configuration.override_value(option); }
    return configuration;
}

RunOutcome outcome_of(const Program& program, isa::SimtModel simt, const std::vector<std::string>& options,
                      Transport& transport) {
    current = &program;
    current_result.clear();
    RunRequest request;
    request.workload = "ptx_program";
    request.partition = "linear";
    request.progress = ProgressMode::none;
    if (transport.size() > 1) { request.sync = "window"; }
    request.configuration = configuration_of(program, simt);
    for (const std::string& option : options) { request.configuration.override_value(option); }
    return run(request, transport);
}

RunOutcome outcome_of(const Program& program, isa::SimtModel simt, const std::vector<std::string>& options) {
    InProcessTransport transport;
    return outcome_of(program, simt, options, transport);
}

}  // namespace

std::string kernel(const std::string& body, const std::string& before) {
    return ".version 9.0\n.target sm_75\n.address_size 64\n" + before +
           "\n.visible .entry k(.param .u64 out, .param .u32 a, .param .align 16 .b8 table[128])\n{\n"
           ".reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .pred %p<8>;\n.reg .b64 %base;\n.reg .b64 %out;\n"
           ".reg .b32 %t;\n.reg .b32 %a;\n.reg .b32 %n;\n"
           "ld.param.u64 %base, [out];\ncvta.to.global.u64 %base, %base;\nld.param.u32 %a, [a];\n"
           "mov.u32 %t, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmul.lo.u32 %n, %n, %t;\nmov.u32 %t, %tid.x;\n"
           "add.u32 %n, %n, %t;\nmul.wide.u32 %out, %n, 4;\nadd.s64 %out, %out, %base;\n" +
           body + "\nret;\n}\n";
}

std::vector<std::uint32_t> run_on(Device& device, const Program& program) {
    const DeviceAddress out = device.upload(std::vector<std::uint32_t>(program.words));
    device.launch("k", program.configuration, pack_parameters(out, program.a, program.table));
    return device.download<std::uint32_t>(out, program.words);
}

std::vector<std::uint32_t> interpret(const Program& program) {
    const ptx::Module module = ptx::parse_module(program.text, "program.ptx");
    ScalarInterpreter device(module);
    return run_on(device, program);
}

std::vector<std::uint32_t> emulate(const Program& program, isa::SimtModel simt) {
    const ptx::Module module = ptx::parse_module(program.text, "program.ptx");
    EmulatedDevice device(finaliser::finalise_module(module, finaliser_options(configuration_of(program, simt))),
                          {.simt = simt});
    return run_on(device, program);
}

std::vector<std::uint32_t> simulate(const Program& program, isa::SimtModel simt,
                                    const std::vector<std::string>& options) {
    const RunOutcome outcome = outcome_of(program, simt, options);
    INFO(outcome.message);
    CHECK(outcome.code == ExitCode::done);
    return current_result;
}

void check_on_ranks(Transport& world, const Program& program, isa::SimtModel simt,
                    const std::vector<std::uint32_t>& expected) {
    current_expected = &expected;
    const RunOutcome outcome = outcome_of(program, simt, {}, world);
    current_expected = nullptr;
    CHECK_MESSAGE(outcome.record.outputs == "match", outcome.message);
}

Ending ending_of_emulation(const Program& program, isa::SimtModel simt) {
    try {
        emulate(program, simt);
        return {};
    } catch (const ProgramError& error) { return {error.code(), error.what()}; }
}

Ending ending_of_simulation(const Program& program, isa::SimtModel simt, const std::vector<std::string>& options) {
    try {
        const RunOutcome outcome = outcome_of(program, simt, options);
        return {outcome.code, outcome.message};
    } catch (const ConfigurationError& error) {  // of the machine, when it is made
        return {error.code(), error.what()};
    }
}

Ending ending_of_simulation(const Program& program, isa::SimtModel simt, const std::vector<std::string>& options,
                            const std::vector<std::uint32_t>& expected) {
    current_expected = &expected;
    const Ending ending = ending_of_simulation(program, simt, options);
    current_expected = nullptr;
    return ending;
}

void check_mentions(const Ending& ending, std::initializer_list<std::string_view> words) {
    INFO(ending.message);
    CHECK(ending.code == ExitCode::program_misbehaved);
    for (const std::string_view word : words) { CHECK(ending.message.find(word) != std::string::npos); }
}

void expect(const Program& program, isa::SimtModel simt, const std::vector<std::uint32_t>& expected) {
    CAPTURE(name_of(simt));
    CHECK(emulate(program, simt) == expected);
    CHECK(simulate(program, simt) == expected);
}

void expect_everywhere(const Program& program, const std::vector<std::uint32_t>& expected) {
    for (const isa::SimtModel simt : kModels) { expect(program, simt, expected); }
}

void expect_with_convergence_barriers(const Program& program, const std::vector<std::uint32_t>& expected) {
    expect(program, isa::SimtModel::convergence_barrier, expected);
}

}  // namespace lookahead::test
