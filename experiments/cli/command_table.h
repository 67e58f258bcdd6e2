#pragma once

#include <span>
#include <string>
#include <string_view>

#include "experiments/cli/command_line.h"

namespace lookahead::cli {

struct Session;

struct CommandEntry {
    std::string_view name;
    void (*add_to)(Command program, Session&);
};

/// In the order of `--help`.
std::span<const CommandEntry> all_commands();

/// The program without its commands: its description, version and exit codes.
CommandLine make_command_line();

struct Session;

/// Every command with its options, independent of the line being read.
CommandOutline outline_of_all_commands(Session&);

/// Writes the reference in Markdown into the folder, which it makes: README.md with a link to each of commands.md,
/// parameters.md, variants.md, statistics.md, catalogue.md (workloads, machines, studies) and file_formats.md.
/// InputError if a file cannot be written, or, unless `force`, if the folder has other files.
void write_reference(const std::string& folder, bool force, Session&);

}  // namespace lookahead::cli
