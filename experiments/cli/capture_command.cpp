// `capture`: run an unmodified CUDA program, or a built-in workload's host driver, on the functional emulator and record
// what it does with its device.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "components/emulator/emulated_device.h"
#include "experiments/capture/capture_machine.h"
#include "experiments/capture/launcher.h"
#include "experiments/capture/recording_device.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/machine_options.h"
#include "experiments/cli/session.h"
#include "experiments/run/program.h"

namespace lookahead::cli {

namespace {

struct CaptureOptions {
    MachineOptions machine;
    WorkloadOptions workload;
    std::string out;
    std::vector<std::string> command;
};

/// The replacement libcudart.so lies beside the program.
std::string library_folder() {
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "cudart";
    if (!std::filesystem::exists(folder / "libcudart.so.13")) {
        throw ConfigurationError(folder.string() + " has no libcudart.so.13: build the target cudart_replacement");
    }
    return folder.string();
}

void write(const Capture& capture, const CaptureOptions& options) {
    const std::string out = !options.out.empty() ? options.out : capture.program + ".capture.h5";
    write_capture(capture, out);
    std::fprintf(stderr, "lookahead: %zu calls of %s in %s\n", capture.calls.size(), capture.program.c_str(),
                 out.c_str());
}

ExitCode capture_program(const CaptureOptions& options) {
    const std::string program = std::filesystem::path(options.command.front()).filename().string();
    CaptureServer server(program, capture_machine(options.machine.machine, options.machine.configuration()));
    const int status = run_captured(options.command, library_folder(), server);
    if (server.capture().calls.empty()) {
        throw InputError(program +
                         " made no call on its device through libcudart.so: build it with nvcc --cudart shared");
    }
    write(server.capture(), options);
    if (status != 0) {
        throw ProgramError(program + " ended with exit status " + std::to_string(status));
    }
    return ExitCode::done;
}

ExitCode capture_workload(const CaptureOptions& options) {
    const std::string& name = options.workload.workload;
    Configuration configuration = options.machine.configuration();
    options.workload.apply_to(configuration);
    const auto workload = make_variant<Workload>(name, configuration, options.workload.context());
    Capture capture;
    capture.program = name;
    capture.ptx_name = workload->ptx_file();
    capture.modules = {std::string(workload->ptx())};
    EmulatedDevice device(load_kernels(*workload, configuration));
    RecordingDevice recorder(device, capture);
    workload->run(recorder);
    const CheckReport check = workload->check();
    if (check.outputs == Outputs::mismatch) throw ProgramError(name + ": wrong output: " + check.message);
    write(capture, options);
    return ExitCode::done;
}

ExitCode capture(const CaptureOptions& options, const Session& session) {
    if (session.transport.size() > 1) {
        throw ConfigurationError("capture runs one program on one rank: start it without mpirun");
    }
    const bool has_workload = !options.workload.workload.empty();
    if (has_workload == !options.command.empty()) {
        throw ConfigurationError("capture needs either a program, after --, or --workload NAME");
    }
    return has_workload ? capture_workload(options) : capture_program(options);
}

}  // namespace

void add_capture_command(CLI::App& program, Session& session) {
    CLI::App* command = program.add_subcommand(
        "capture",
        "Run a CUDA program (built with nvcc --cudart shared), or the host driver of a built-in workload, on the "
        "functional emulator and record it: lookahead capture -o FILE -- PROGRAM ARGUMENTS, or lookahead capture "
        "--workload NAME. 'lookahead run FILE' replays it.");
    auto options = std::make_shared<CaptureOptions>();
    command->add_option("-o,--out", options->out, "The capture [PROGRAM.capture.h5]");
    command->add_option("--machine,-m", options->machine.machine, "The machine whose properties the program sees")
        ->capture_default_str();
    command
        ->add_option("--option", options->machine.overrides, "Set a configuration key of the machine; may be repeated")
        ->allow_extra_args(false);
    command->add_option("--workload", options->workload.workload, "A built-in workload instead of a program");
    options->workload.add_inputs_to(*command);
    command->add_option("COMMAND", options->command, "The program and its arguments, after --");
    command->callback(
        [&session, options] { session.action = [&session, options] { return capture(*options, session); }; });
}

}  // namespace lookahead::cli
