// `config`: the effective configuration, all keys, and the check of a file.
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "components/machine/machine.h"
#include "core/component/describe.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/machine_options.h"
#include "experiments/cli/session.h"
#include "experiments/energy_tables/energy_tables.h"

namespace lookahead::cli {

namespace {

/// Checks everything and makes the effective values known.
Configuration checked(const MachineOptions& options) {
    Configuration configuration = options.configuration();
    gpu::Machine(configuration, {}, [](Device&) {}).check_processes();
    load_energy_table(configuration.read<EnergyParameters>("energy").table, configuration.place_of("energy.table"));
    configuration.check_all_used();
    return configuration;
}

}  // namespace

void add_config_command(Command program, Session& session) {
    Command command = program.add_command("config", "Show the effective configuration, list all keys, check a file.");
    command.require_command();
    auto options = std::make_shared<MachineOptions>();

    Command show = command.add_command("show", "Print the effective configuration as TOML.");
    options->add_to(show);
    session.on(show, [&session, options] {
        session.print(checked(*options).effective_toml());
        return ExitCode::done;
    });

    Command schema = command.add_command("schema", "List every key with its type, range, unit, default and meaning.");
    session.on(schema, [&session] {
        session.print(list_parameters());
        return ExitCode::done;
    });

    Command validate = command.add_command("validate", "Check a machine file.");
    validate.add_option("FILE", options->machine, "The machine file").required();
    session.on(validate, [&session, options] {
        checked(*options);
        session.print(fmt::format("{}: valid\n", options->machine));
        return ExitCode::done;
    });
}

}  // namespace lookahead::cli
