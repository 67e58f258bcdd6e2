#include "experiments/cli/command_table.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/component/reference.h"
#include "core/error/error.h"
#include "core/files/writable.h"
#include "experiments/cli/session.h"
#include "experiments/machines/machines.h"
#include "experiments/results/provenance.h"
#include "experiments/sweep/study.h"
#include "experiments/workloads/manifest.h"
#include "experiments/workloads/workload.h"
#include "hdf5_schemas/schema_page.h"

namespace lookahead::cli {

namespace {

std::string names_of(const OptionOutline& option) {
    return fmt::format("`{}`", fmt::join(option.names, "`, `")) +
           (option.is_positional && option.is_required ? " (required)" : "");
}

// NOLINTNEXTLINE(misc-no-recursion): commands have commands
std::string command_text(const std::string& path, const CommandOutline& command) {
    std::string text = fmt::format("\n## `{}`\n{}\n", path, markdown_cell(command.help));
    text += "\n| argument | value | default | meaning |\n|---|---|---|---|\n";
    for (const OptionOutline& option : command.options) {
        text += fmt::format("| {} | {} | {} | {} |\n", names_of(option), markdown_cell(option.value),
                            markdown_cell(option.default_value), markdown_cell(option.help));
    }
    for (const CommandOutline& inner : command.commands) {
        text += command_text(fmt::format("{} {}", path, inner.name), inner);
    }
    return text;
}

std::string commands_page(Session& session) {
    std::string text = "# Commands\n`lookahead COMMAND --help` says the same.\n";
    for (const CommandOutline& command : outline_of_all_commands(session).commands) {
        text += command_text(fmt::format("lookahead {}", command.name), command);
    }
    return text + R"(
## Exit codes
| code | meaning |
|---|---|
| 0 | done; outputs match, or there is nothing to compare |
| 2 | usage or configuration |
| 3 | bad input file, or a file that cannot be written |
| 4 | the simulated program misbehaved; `diff`: the files differ |
| 5 | an internal invariant broke |
| 75 | stopped at a checkpoint on request |
)";
}

std::string catalogue_page() {
    std::string text = "# Workloads\n| workload | what | suite |\n|---|---|---|\n";
    for (const ManifestEntry& entry : workload_manifest()) {
        text += fmt::format("| `{}` | {} | {} |\n", entry.name, markdown_cell(entry.description),
                            markdown_cell(entry.suite));
    }
    text += "\n# Machines\n| machine | what |\n|---|---|\n";
    for (const BuiltInMachine& machine : built_in_machines()) {
        text += fmt::format("| `{}` | {} |\n", machine.name, markdown_cell(machine.description));
    }
    text += "\n# Studies\n| study | what |\n|---|---|\n";
    for (const BuiltInStudy& study : built_in_studies()) {
        text += fmt::format("| `{}` | {} |\n", study.name, markdown_cell(study.title));
    }
    return text;
}

constexpr const char* kTitle = "# Reference of Lookahead\n";

/// Refuses to replace pages that this program did not write.
void require_own_folder(const std::filesystem::path& root, bool force) {
    std::error_code fault;
    std::filesystem::create_directories(root, fault);
    if (fault) {
        throw InputError("{}: the folder cannot be made: {}; name a folder in which you may write", root.string(),
                         fault.message());
    }
    if (!force && !std::filesystem::is_empty(root) && !has_text((root / "README.md").string(), kTitle)) {
        throw InputError(
            "{}: the folder has files, and no README.md of this reference; name another one, or use --force, which "
            "replaces files with the names of its pages",
            root.string());
    }
}

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path);
    file << text;
    file.close();
    if (!file) {
        throw InputError("{}: cannot be written: {}; name a folder in which you may write", path.string(),
                         std::strerror(errno));
    }
}

}  // namespace

CommandOutline outline_of_all_commands(Session& session) {
    CommandLine line = make_command_line();
    for (const CommandEntry& command : all_commands()) { command.add_to(line.program(), session); }
    return line.outline();
}

void write_reference(const std::string& folder, bool force, Session& session) {
    if (!session.prints()) { return; }
    const std::filesystem::path root = folder;
    require_own_folder(root, force);
    write(root / "README.md", fmt::format(R"({}Made by `lookahead describe --markdown` of revision {}.

| page | what |
|---|---|
| [commands](commands.md) | every command, its arguments, the exit codes |
| [parameters](parameters.md) | every key: values, unit, default, meaning, source |
| [variants](variants.md) | every slot and what may fill it |
| [statistics](statistics.md) | everything that is counted |
| [catalogue](catalogue.md) | workloads, machines, studies |
| [file formats](file_formats.md) | groups and datasets of every file |
)",
                                          kTitle, git_revision()));
    write(root / "commands.md", commands_page(session));
    write(root / "parameters.md", parameters_page());
    write(root / "variants.md", variants_page(SlotTraits<Workload>::name));
    write(root / "statistics.md", statistics_page());
    write(root / "catalogue.md", catalogue_page());
    write(root / "file_formats.md", schema_page());
}

}  // namespace lookahead::cli
