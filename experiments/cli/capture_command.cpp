// `capture`: run an unmodified CUDA program on the functional emulator and record what it does with its device.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/capture/capture_machine.h"
#include "experiments/capture/launcher.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/machine_options.h"
#include "experiments/cli/session.h"

namespace lookahead::cli {

namespace {

struct CaptureOptions {
    MachineOptions machine;
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

ExitCode capture(const CaptureOptions& options, const Session& session) {
    if (session.transport.size() > 1) {
        throw ConfigurationError("capture runs one program on one rank: start it without mpirun");
    }
    const std::string program = std::filesystem::path(options.command.front()).filename().string();
    const std::string out = !options.out.empty() ? options.out : program + ".capture.h5";
    CaptureServer server(program, capture_machine(options.machine.machine, options.machine.configuration()));
    const int status = run_captured(options.command, library_folder(), server);
    const Capture& capture = server.capture();
    if (capture.calls.empty()) {
        throw InputError(program +
                         " made no call on its device through libcudart.so: build it with nvcc "
                         "--cudart shared");
    }
    write_capture(capture, out);
    std::fprintf(stderr, "lookahead: %zu calls of %s in %s\n", capture.calls.size(), program.c_str(), out.c_str());
    if (status != 0) {
        throw ProgramError(program + " ended with exit status " + std::to_string(status));
    }
    return ExitCode::done;
}

}  // namespace

void add_capture_command(CLI::App& program, Session& session) {
    CLI::App* command = program.add_subcommand(
        "capture",
        "Run a CUDA program (built with nvcc --cudart shared) on the functional emulator and record it: "
        "lookahead capture -o FILE -- PROGRAM ARGUMENTS. 'lookahead run FILE' replays it.");
    auto options = std::make_shared<CaptureOptions>();
    command->add_option("-o,--out", options->out, "The capture [PROGRAM.capture.h5]");
    command->add_option("--machine,-m", options->machine.machine, "The machine whose properties the program sees")
        ->capture_default_str();
    command
        ->add_option("--option", options->machine.overrides, "Set a configuration key of the machine; may be repeated")
        ->allow_extra_args(false);
    command->add_option("COMMAND", options->command, "The program and its arguments, after --")->required();
    command->callback(
        [&session, options] { session.action = [&session, options] { return capture(*options, session); }; });
}

}  // namespace lookahead::cli
