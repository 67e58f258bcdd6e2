#pragma once

#include <string>

#include "experiments/cli/command_line.h"

namespace lookahead::cli {

struct Session;

/// Every command with its options, whatever the line that is being read.
CommandOutline outline_of_all_commands(Session&);

/// Writes the reference in Markdown into the folder, which it makes: README.md with a link to each of commands.md,
/// parameters.md, variants.md, statistics.md, catalogue.md (workloads, machines, studies) and file_formats.md. InputError if
/// a file cannot be written, and, unless `force`, for a folder whose files are not of this reference.
void write_reference(const std::string& folder, bool force, Session&);

}  // namespace lookahead::cli
