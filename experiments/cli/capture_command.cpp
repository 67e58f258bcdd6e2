// `capture`: runs an unmodified CUDA program, or a built-in workload's host driver, on the functional emulator and
// records its calls.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "components/emulator/emulated_device.h"
#include "components/frontend/native/lower.h"
#include "components/sm/simt/simt_model.h"
#include "core/files/writable.h"
#include "core/text/readable_name.h"
#include "experiments/capture/capture_machine.h"
#include "experiments/capture/launcher.h"
#include "experiments/capture/recording_device.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/machine_options.h"
#include "experiments/cli/session.h"
#include "experiments/run/native_code.h"
#include "experiments/run/program.h"
#include "experiments/run/progress.h"
#include "experiments/trace/trace_recorder.h"
#include "hdf5_schemas/capture_schema.h"
#include "hdf5_schemas/validate.h"

namespace lookahead::cli {

namespace {

struct CaptureOptions {
    MachineOptions machine;
    WorkloadOptions workload;
    std::string out;
    std::string trace;  ///< a folder for traces in place of a capture
    bool force = false;
    std::string progress = "plain";
    std::vector<std::string> command;
};

constexpr const char* kGuide =
    "Examples:\n"
    "  nvcc --cudart shared -arch=sm_75 -o app app.cu       # the unmodified program; it needs a shared runtime and "
    "PTX\n"
    "  lookahead capture --out app.capture.h5 -- ./app 1000    # runs it without a GPU, on the functional emulator\n"
    "  lookahead run app.capture.h5 -m v100                 # replays it with timing, and checks its copies to the "
    "host\n"
    "  lookahead capture --workload bfs --size tiny         # a workload of 'lookahead list workloads' instead\n"
    "  lookahead capture --trace traces --workload app.capture.h5 -m h100    # its native code's traces, as accel-sim "
    "reads them\n"
    "\n"
    "The program behaves and prints as on a GPU. If it needs something unsupported, it ends and stderr says what.\n"
    "The file is written when the program has ended: whole, or not at all. If the program ends with a status other "
    "than\n"
    "0 the file is written and the exit code is 4; if a signal ends it there is no file and the exit code is 4; if it\n"
    "cannot be started or captured there is no file and the exit code is 3.\n\n";
constexpr std::chrono::seconds kProgressInterval{2};

std::string out_of(const CaptureOptions& options, const std::string& program) {
    return !options.out.empty() ? options.out : fmt::format("{}.capture.h5", program);
}

void require_place_of_capture(const std::string& out, const CaptureOptions& options) {
    const auto is_one = [](const std::string& path) { return is_file_of(path, capture_schema::kId); };
    require_writable(out, FileKind{"a capture", is_one}, options.force);
}

void write(const Capture& capture, const CaptureOptions& options) {
    const std::string out = out_of(options, capture.program);
    write_capture(capture, out);
    std::fprintf(stderr, "lookahead: %zu calls of %s in %s\n", capture.calls.size(), capture.program.c_str(),
                 out.c_str());
}

/// Prints a line on stderr when a kernel begins, if the last line is long ago.
CaptureServer::LaunchWatcher print_launches() {
    return [next = std::chrono::steady_clock::now() + kProgressInterval](const std::string& kernel, std::size_t launch,
                                                                         std::uint64_t warp_instructions) mutable {
        const auto now = std::chrono::steady_clock::now();
        if (now < next) { return; }
        next = now + kProgressInterval;
        std::fprintf(stderr, "lookahead: kernel %zu '%s' begins  %.2f M warp instructions before it\n", launch,
                     short_name(kernel).c_str(), static_cast<double>(warp_instructions) / 1e6);
    };
}

ExitCode capture_program(const CaptureOptions& options) {
    const std::string program = std::filesystem::path(options.command.front()).filename().string();
    require_place_of_capture(out_of(options, program), options);
    const ProgressMode progress = parse_progress(options.progress);
    CaptureServer server(program, capture_machine(options.machine.machine, options.machine.configuration()));
    if (progress != ProgressMode::none) { server.watch_launches(print_launches()); }
    const int status = run_captured(options.command, cudart_folder(), server);
    const bool has_calls = !server.capture().calls.empty();
    if (!has_calls && !server.was_asked()) {
        throw InputError("{} made no device call through libcudart.so: build it with nvcc --cudart shared", program);
    }
    if (has_calls) {
        write(server.capture(), options);
    } else {  // for programs that print a device's properties
        std::fprintf(stderr, "lookahead: %s did not use its device, so there is no capture\n", program.c_str());
    }
    if (status != 0) { throw ProgramError("{} ended with exit status {}", program, status); }
    return ExitCode::done;
}

ExitCode capture_workload(const CaptureOptions& options) {
    const std::string& name = options.workload.workload;
    require_place_of_capture(out_of(options, name), options);
    Configuration configuration = options.machine.configuration();
    options.workload.apply_to(configuration);
    const auto workload = checked_workload(name, configuration, options.workload.context());
    Capture capture;
    capture.program = name;
    capture.ptx_name = ptx_of(*workload, configuration).file;
    capture.modules = {std::string(ptx_of(*workload, configuration).text)};
    EmulatedDevice device(load_kernels(*workload, configuration), {.simt = gpu::simt_model(configuration)});
    RecordingDevice recorder(device, capture);
    workload->run(recorder);
    const CheckReport check = workload->check();
    if (check.outputs == Outputs::mismatch) { throw ProgramError("{}: wrong output: {}", name, check.message); }
    write(capture, options);
    return ExitCode::done;
}

/// Runs the workload's native code and writes its traces into a new folder: all of them, or nothing.
ExitCode trace_workload(const CaptureOptions& options) {
    if (!options.out.empty() || options.force) {
        throw ConfigurationError("{} has no effect with --trace, which names a new folder",
                                 options.out.empty() ? "--force" : "--out");
    }
    std::error_code unknown;
    if (std::filesystem::exists(options.trace, unknown) && !std::filesystem::is_empty(options.trace, unknown)) {
        throw InputError("{}: is there already; give a new folder", options.trace);
    }
    Configuration configuration = options.machine.configuration();
    WorkloadOptions named = options.workload;
    named.take_file(named.workload);
    named.apply_to(configuration);
    const auto workload = checked_workload(named.workload, configuration, named.context());
    const ProgramCode code = ptx_of(*workload, configuration);
    const isa::SimtModel simt = gpu::simt_model(configuration);
    const native::Cubin cubin = native_program(code, configuration);
    const isa::KernelTable kernels = native::lower(cubin, code.file, simt == isa::SimtModel::convergence_barrier);
    const std::string partial = fmt::format("{}.partial.{}", options.trace, ::getpid());
    std::filesystem::create_directories(partial, unknown);
    if (unknown) { throw InputError("{}: cannot be made: {}", options.trace, unknown.message()); }
    std::uint64_t launches = 0;
    try {
        TraceRecorder recorder(partial, cubin, kernels);
        EmulatedDevice device(kernels, {.instructions = &recorder, .simt = simt});
        recorder.set_device(device);
        workload->run(recorder);
        const CheckReport check = workload->check();
        if (check.outputs == Outputs::mismatch) {
            throw ProgramError("{}: wrong output: {}", named.workload, check.message);
        }
        recorder.finish();
        launches = recorder.launches();
        std::filesystem::rename(partial, options.trace, unknown);
        if (unknown) { throw InputError("{}: cannot be made: {}", options.trace, unknown.message()); }
    } catch (...) {
        std::filesystem::remove_all(partial, unknown);
        throw;
    }
    std::fprintf(stderr, "lookahead: traces of %llu launches in %s/kernelslist.g\n",
                 static_cast<unsigned long long>(launches), options.trace.c_str());
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
    if (!options.trace.empty()) {
        if (!has_workload) {
            throw ConfigurationError(
                "--trace needs --workload: capture the program, then trace --workload FILE.capture.h5");
        }
        return trace_workload(options);
    }
    return has_workload ? capture_workload(options) : capture_program(options);
}

}  // namespace

void add_capture_command(Command program, Session& session) {
    Command command = program.add_command(
        "capture", "Record the device calls of a CUDA program, or of a built-in workload's host driver.");
    command.prepend_footer(kGuide);
    auto options = std::make_shared<CaptureOptions>();
    const auto refusal = [](const std::string& text) {
        const bool is_setting = text.find('=') != std::string::npos && !text.ends_with(".h5");
        return is_setting ? fmt::format("'{}' is not a file that ends in .h5; --option sets a key of the machine", text)
                          : "";
    };
    command.add_option("--out", options->out, "The capture [PROGRAM.capture.h5]").check(refusal);
    command.add_option("--trace", options->trace,
                       "Write traces of the workload's native code into this new folder, in accel-sim's format");
    command.add_flag("--force", options->force, "Also replace a file that is not a capture");
    command.add_unlisted("-o", options->out).check(refusal);
    command.add_option("--machine,-m", options->machine.machine, "The machine whose properties the program sees")
        .show_default();
    command
        .add_option("--option", options->machine.overrides, "Set a configuration key of the machine; may be repeated")
        .one_value_each();
    command.add_option("--workload", options->workload.workload, "A built-in workload instead of a program");
    options->workload.add_inputs_to(command);
    command.add_option("--progress", options->progress, "Progress on stderr: plain or none").show_default();
    command.add_option("COMMAND", options->command, "The program and its arguments, after --");
    session.on(command, [&session, options] { return capture(*options, session); });
}

}  // namespace lookahead::cli
