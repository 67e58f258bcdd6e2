#pragma once

#include <span>
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

}  // namespace lookahead::cli
