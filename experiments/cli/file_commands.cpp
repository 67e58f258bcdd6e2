// `validate` and `diff`: result files.
#include <cstdio>
#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/session.h"
#include "experiments/results/run_diff.h"
#include "hdf5_schemas/validate.h"

namespace lookahead::cli {

void add_validate_command(Command program, Session& session) {
    Command command = program.add_command("validate", "Check a result file against its schema.");
    auto file = std::make_shared<std::string>();
    command.add_option("FILE", *file, "HDF5 file").required();
    session.on_first_rank(command, [file] {
        const auto violations = validate_file(*file);
        for (const std::string& violation : violations) { say("{}\n", violation); }
        if (!violations.empty()) { throw InputError("{}: {} violations of its schema", *file, violations.size()); }
        say("{}: valid\n", *file);
        return ExitCode::done;
    });
}

void add_diff_command(Command program, Session& session) {
    Command command = program.add_command(
        "diff", "Compare two result files bit for bit, except /meta and /engine; exit code 4 if they differ.");
    auto files = std::make_shared<std::pair<std::string, std::string>>();
    command.add_option("A", files->first, "HDF5 file").required();
    command.add_option("B", files->second, "HDF5 file").required();
    session.on_first_rank(command, [files] {
        const auto difference = diff_runs(files->first, files->second);
        say("{}\n", difference ? difference->c_str() : "same results");
        return difference ? ExitCode::program_misbehaved : ExitCode::done;
    });
}

}  // namespace lookahead::cli
