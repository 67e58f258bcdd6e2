// `emulate`: run a workload functionally, without timing.
#include <chrono>
#include <cstdio>
#include <memory>

#include "components/device/device_print.h"
#include "components/emulator/emulated_device.h"
#include "components/sm/simt/simt_model.h"
#include "core/json/json.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/machine_options.h"
#include "experiments/cli/session.h"
#include "experiments/run/program.h"

namespace lookahead::cli {

namespace {

struct EmulateOptions {
    MachineOptions machine;
    WorkloadOptions workload;
    std::uint64_t max_instructions = 0;
    bool json = false;
};

void print_counts(const EmulatedDevice& device, const CheckReport& check, const std::string& workload, double seconds,
                  bool json) {
    const ExecutionCounts& counts = device.counts();
    const double rate = static_cast<double>(counts.total.warps) / seconds;
    std::vector<std::pair<std::string, std::uint64_t>> classes;
    for (unsigned i = 0; i < counts.by_class.size(); ++i) {
        const auto each = static_cast<InstructionClass>(i);
        classes.emplace_back(name_of(each), counts.of(each).warps);
    }
    if (json) {
        const Json::Object object{{"workload", workload},
                                  {"outputs", name_of(check.outputs)},
                                  {"warp_instructions", counts.total.warps},
                                  {"thread_instructions", counts.total.threads},
                                  {"kernels", device.launches().size()},
                                  {"wall_s", seconds},
                                  {"warp_instructions_per_s", rate},
                                  {"warp_instructions_by_class", Json::Object(classes.begin(), classes.end())}};
        say("{}\n", Json(object).page());
        return;
    }
    say("{}: outputs {} ({})\n", workload, name_of(check.outputs), check.message);
    say("  {} warp instructions, {} thread instructions, {} kernel launches, {:.1f} M warp instructions/s\n",
        counts.total.warps, counts.total.threads, device.launches().size(), rate / 1e6);
    for (const auto& [name, warps] : classes) { say("  {:18} {:12}\n", name, warps); }
}

ExitCode emulate(const EmulateOptions& options) {
    Configuration configuration = options.machine.configuration();
    options.workload.apply_to(configuration);
    const auto workload = checked_workload(options.workload.workload, configuration, options.workload.context());
    EmulatorOptions limits;
    if (options.max_instructions != 0) { limits.max_warp_instructions = options.max_instructions; }
    limits.simt = gpu::simt_model(configuration);
    EmulatedDevice device(load_kernels(*workload, configuration), limits);

    const auto begin = std::chrono::steady_clock::now();
    std::FILE* const out = options.json ? stderr : stdout;
    PrintingDevice printing(device, device.kernels().image,
                            [out](std::string_view text) { std::fwrite(text.data(), 1, text.size(), out); });
    workload->run(printing);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

    const CheckReport check = workload->check();
    print_counts(device, check, options.workload.workload, seconds, options.json);
    if (check.outputs == Outputs::mismatch) {
        throw ProgramError("{}: wrong output: {}", options.workload.workload, check.message);
    }
    return ExitCode::done;
}

}  // namespace

void add_emulate_command(Command program, Session& session) {
    Command command = program.add_command(
        "emulate", "Run a workload on the functional emulator: counts, outputs checked, no timing.");
    auto options = std::make_shared<EmulateOptions>();
    options->workload.add_to(command);
    options->machine.add_to(command);
    options->machine.add_code_to(command);
    command.add_option("--max-instructions", options->max_instructions,
                       "Stop after this many warp instructions; 0: no limit");
    command.add_flag("--json", options->json, "Print one JSON object on stdout and nothing else");
    session.on_first_rank(command, [options] { return emulate(*options); });
}

}  // namespace lookahead::cli
