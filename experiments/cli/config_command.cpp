// `config`: the effective configuration, all keys, and the check of a file.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "components/machine/machine.h"
#include "core/component/describe.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/machine_options.h"
#include "experiments/cli/session.h"
#include "experiments/energy_tables/energy_tables.h"

namespace lookahead::cli {

namespace {

/// All of it is checked and the effective values are known.
Configuration checked(const MachineOptions& options) {
    Configuration configuration = options.configuration();
    gpu::Machine(configuration, {}, [](Device&) {}).check_processes();
    load_energy_table(configuration.read<EnergyParameters>("energy").table, configuration.place_of("energy.table"));
    configuration.check_all_used();
    return configuration;
}

void print(const Session& session, const std::string& text) {
    if (session.prints()) {
        std::fputs(text.c_str(), stdout);
    }
}

}  // namespace

void add_config_command(CLI::App& program, Session& session) {
    CLI::App* command =
        program.add_subcommand("config", "Show the effective configuration, list all keys, check a file.");
    command->require_subcommand(1);
    auto options = std::make_shared<MachineOptions>();

    CLI::App* show = command->add_subcommand("show", "Print the effective configuration as TOML.");
    options->add_to(*show);
    show->callback([&session, options] {
        session.action = [&session, options] {
            print(session, checked(*options).effective_toml());
            return ExitCode::done;
        };
    });

    CLI::App* schema =
        command->add_subcommand("schema", "List every key with its type, range, unit, default and meaning.");
    schema->callback([&session] {
        session.action = [&session] {
            print(session, list_parameters());
            return ExitCode::done;
        };
    });

    CLI::App* validate = command->add_subcommand("validate", "Check a machine file.");
    validate->add_option("FILE", options->machine, "The machine file")->required();
    validate->callback([&session, options] {
        session.action = [&session, options] {
            checked(*options);
            print(session, options->machine + ": valid\n");
            return ExitCode::done;
        };
    });
}

}  // namespace lookahead::cli
