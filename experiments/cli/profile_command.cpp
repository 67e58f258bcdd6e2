// `profile`: analyses of a kernel.
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "components/frontend/finaliser/emit/print.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/register_profile.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/json/json.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/machine_options.h"
#include "experiments/cli/named_files.h"
#include "experiments/cli/session.h"
#include "experiments/run/program.h"

namespace lookahead::cli {

namespace {

struct ProfileOptions {
    MachineOptions machine;
    std::string source;
    std::string kernel;
    bool json = false;

    void add_to(Command command) {
        command.add_option("SOURCE", source, "A workload's name or a PTX file").required();
        command.add_option("--kernel", kernel, "Only this kernel");
        machine.add_to(command);
    }
};

/// The module of the PTX file with that name, or of the workload.
ptx::Module module_of(const std::string& source, const Configuration& configuration) {
    if (const auto text = read_ptx(source)) {
        require_known_keys(configuration);
        return ptx::parse_module(*text, source);
    }
    const auto workload = checked_workload(source, configuration, WorkloadContext{});
    return ptx::parse_module(ptx_of(*workload, configuration).text, std::string(ptx_of(*workload, configuration).file));
}

Json as_json(const std::string& kernel, const finaliser::RegisterProfile& profile) {
    Json::Array limits;
    for (const finaliser::RegistersAtLimit& each : profile.limits) {
        limits.push_back(Json::Object{{"limit", each.limit},
                                      {"registers", each.registers},
                                      {"spill_bytes", each.spill_bytes},
                                      {"spill_loads", each.spill_loads},
                                      {"spill_stores", each.spill_stores},
                                      {"instructions", each.instructions}});
    }
    return Json::Object{{"kernel", kernel},
                        {"r_default", profile.preferred},
                        {"r_base", profile.base},
                        {"r_least", profile.least},
                        {"limits", limits}};
}

void print(const std::string& kernel, const finaliser::RegisterProfile& profile) {
    say("{}: r_default {}, r_base {} (least without spills), least {}\n", kernel, profile.preferred, profile.base,
        profile.least);
    say("  {:>6} {:>10} {:>12} {:>12} {:>13} {:>13}\n", "limit", "registers", "spill bytes", "spill loads",
        "spill stores", "instructions");
    for (const finaliser::RegistersAtLimit& each : profile.limits) {
        say("  {:6} {:10} {:12} {:12} {:13} {:13}\n", each.limit, each.registers, each.spill_bytes, each.spill_loads,
            each.spill_stores, each.instructions);
    }
}

/// The module's kernels that the options name. Throws if there is none.
std::vector<const ptx::Function*> chosen_kernels(const ProfileOptions& options, const ptx::Module& module) {
    std::vector<const ptx::Function*> chosen;
    for (const ptx::Function& function : module.functions) {
        if (function.is_kernel && function.is_defined && (options.kernel.empty() || function.name == options.kernel)) {
            chosen.push_back(&function);
        }
    }
    if (chosen.empty()) {
        throw InputError("{} has no kernel{}", module.file_name,
                         (options.kernel.empty() ? "" : fmt::format(" {}", options.kernel)));
    }
    return chosen;
}

ExitCode print_code(const ProfileOptions& options) {
    const Configuration configuration = options.machine.configuration();
    const ptx::Module module = module_of(options.source, configuration);
    for (const ptx::Function* kernel : chosen_kernels(options, module)) {
        const isa::Kernel finalised = finaliser::finalise(module, *kernel, finaliser_options(configuration));
        say("{}\n", finaliser::print(finalised));
    }
    return ExitCode::done;
}

ExitCode profile_registers(const ProfileOptions& options) {
    const Configuration configuration = options.machine.configuration();
    const ptx::Module module = module_of(options.source, configuration);
    const finaliser::FinaliserOptions limits = finaliser_options(configuration);
    Json::Array all;
    for (const ptx::Function* kernel : chosen_kernels(options, module)) {
        const finaliser::RegisterProfile profile = finaliser::profile_registers(module, *kernel, limits);
        if (options.json) {
            all.push_back(as_json(kernel->name, profile));
        } else {
            print(kernel->name, profile);
        }
    }
    if (options.json) { say("{}\n", Json(all).page()); }
    return ExitCode::done;
}

}  // namespace

void add_profile_command(Command program, Session& session) {
    Command command = program.add_command("profile", "Analyse the kernels of a workload or a PTX file.");
    command.require_command();
    Command registers = command.add_command(
        "registers",
        "Print the registers that each kernel needs, and the instructions that spilling costs at lower limits.");
    auto options = std::make_shared<ProfileOptions>();
    options->add_to(registers);
    registers.add_flag("--json", options->json, "Print one JSON array on stdout and nothing else");
    session.on_first_rank(registers, [options] { return profile_registers(*options); });

    Command code = command.add_command("code", "Print the machine code that the finaliser generates for each kernel.");
    options->add_to(code);
    session.on_first_rank(code, [options] { return print_code(*options); });
    add_profile_patterns(command, session);
    add_profile_vectors(command, session);
}

}  // namespace lookahead::cli
