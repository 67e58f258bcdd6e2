#pragma once

#include <string>

namespace lookahead {

/// How a command of the shell ended.
struct CommandEnd {
    int status = -1;     ///< exit status: 127 for a program that is not found; -1: not started, or ended by a signal
    std::string output;  ///< what it wrote to stdout and stderr, without line ends at its end
};

/// Runs the command by /bin/sh and waits for its end.
CommandEnd run_shell_command(const std::string& command);

/// The text as one word of a shell command.
std::string shell_word(const std::string& text);

}  // namespace lookahead
