#include "experiments/cli/machine_options.h"

#include <filesystem>
#include <utility>

#include "core/component/registered_keys.h"
#include "core/component/slot.h"
#include "core/error/error.h"
#include "experiments/machines/brought_transforms.h"
#include "experiments/machines/machines.h"
#include "experiments/run/run.h"

namespace lookahead::cli {

void MachineOptions::add_to(Command command) {
    command.add_option("--machine,-m", machine, "Name of a machine ('lookahead list machines') or a TOML file")
        .show_default();
    command
        .add_option(
            "-o,--option", overrides,
            "Set a configuration key, as in -o sm.warp_scheduler=lrr; may be repeated. 'lookahead config schema' "
            "lists the keys")
        .one_value_each()
        .check([](const std::string& text) {
            const bool is_file = text.find('=') == std::string::npos && text.ends_with(".h5");
            return is_file ? fmt::format("'{}' is not KEY=VALUE; --out names the file to write", text) : "";
        });
}

void MachineOptions::add_code_to(Command command) {
    command.add_option("--code", code,
                       "The code to run: ptx, or native, a capture's own or what ptxas makes of the PTX; short for -o "
                       "program.code=CODE");
}

Configuration MachineOptions::configuration() const {
    Configuration configuration = load_machine(machine);
    if (!code.empty()) { configuration.override_value(fmt::format("program.code={}", code)); }
    for (const std::string& override_text : overrides) { configuration.override_value(override_text); }
    bring_transforms(configuration);
    return configuration;
}

void WorkloadOptions::add_to(Command command) {
    command
        .add_option("WORKLOAD", workload,
                    "Name of a workload ('lookahead list workloads'), a capture (a file that ends in .h5), or a trace "
                    "(kernelslist.g, .traceg)")
        .required()
        .change([this](std::string& name) { take_file(name); });
    add_inputs_to(command);
}

void WorkloadOptions::take_file(std::string& name) {
    const std::string found = workload_of(name);
    if (found != name) { file = std::exchange(name, found); }
}

void WorkloadOptions::add_inputs_to(Command command) {
    command.add_option("--size", size, "tiny, small, medium or large").show_default().note(is_size_given);
    command.add_option("--seed", seed, "Seed of the inputs")
        .in_range(1u, 0xffffffffu)
        .show_default()
        .note(is_seed_given);
    command.add_option("--set", settings, "Set a parameter of the workload, as in --set n=4096; may be repeated")
        .one_value_each();
}

void WorkloadOptions::apply_to(Configuration& configuration) const {
    if (workload.ends_with(".ptx")) {
        throw ConfigurationError(
            "{} is a PTX file, whose kernel needs a launch: use the workload ptx with --set file={} --set grid=60 "
            "--set block=256 --set \"arguments=f32[65536] u32:7\"",
            workload, workload);
    }
    if (std::error_code unknown; std::filesystem::is_regular_file(workload, unknown)) {
        throw ConfigurationError(
            "{} is a file, not a workload's name: a CUDA program follows --, as in lookahead run -- {}", workload,
            workload);
    }
    if (has_own_inputs(workload) && (is_size_given || is_seed_given)) {
        throw ConfigurationError("{} has no effect: a {} has the inputs that its program had",
                                 std::string(is_size_given ? "--size" : "--seed"), workload);
    }
    if (!file.empty()) { configuration.override_value(fmt::format("{}.file={}", workload, file)); }
    for (const std::string& setting : settings) {
        configuration.override_value(fmt::format("{}.{}", workload, setting));
    }
}

void require_known_keys(const Configuration& configuration) {
    read_registered(configuration);
    configuration.check_all_used();
}

std::unique_ptr<Workload> checked_workload(const std::string& name, const Configuration& configuration,
                                           const WorkloadContext& context) {
    auto workload = make_variant<Workload>(name, configuration, context);
    require_known_keys(configuration);
    return workload;
}

}  // namespace lookahead::cli
