#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/param/configuration.h"
#include "experiments/cli/command_line.h"
#include "experiments/workloads/workload.h"

namespace lookahead::cli {

/// Options of several commands: a machine, changes to it, and a workload with its parameters.
struct MachineOptions {
    std::string machine = "gtx480";
    std::vector<std::string> overrides;  ///< -o key=value
    std::string code;                    ///< --code: program.code; empty: the machine's

    void add_to(Command command);
    /// Adds --code, for commands that run programs.
    void add_code_to(Command command);
    /// The machine's configuration with the overrides.
    Configuration configuration() const;
};

struct WorkloadOptions {
    std::string workload;
    std::string size = "small";
    std::uint32_t seed = 1;
    std::vector<std::string> settings;  ///< --set key=value: parameters of the workload
    std::string file;                   ///< WORKLOAD was this file: the workload is `capture` or `trace`
    bool is_size_given = false;
    bool is_seed_given = false;

    void add_to(Command command);
    /// If `name` is a file's, keeps it as `file` and makes it the workload's name.
    void take_file(std::string& name);
    /// Adds all options except the workload's name.
    void add_inputs_to(Command command);
    WorkloadContext context() const { return {parse_size(size), seed}; }
    /// Sets the workload's parameters, as keys `workload.key`. ConfigurationError for options without effect on the
    /// workload.
    void apply_to(Configuration& configuration) const;
};

/// ConfigurationError for a key that is no machine's, and that nothing has read.
void require_known_keys(const Configuration& configuration);

/// The workload with its parameters. ConfigurationError for unknown keys.
std::unique_ptr<Workload> checked_workload(const std::string& name, const Configuration& configuration,
                                           const WorkloadContext& context);

}  // namespace lookahead::cli
