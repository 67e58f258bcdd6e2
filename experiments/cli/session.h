#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/error/error.h"
#include "core/transport/transport.h"
#include "experiments/cli/command_line.h"

namespace lookahead {
class PointServer;
}

namespace lookahead::cli {

/// Prints a message on stdout; main() reports what could not be written.
template <class... Arguments>
void say(fmt::format_string<Arguments...> message, Arguments&&... arguments) {
    std::fputs(fmt::format(message, std::forward<Arguments>(arguments)...).c_str(), stdout);
}

/// The shared data of all commands, and the chosen action.
struct Session {
    Transport& transport;
    std::vector<std::string> arguments;     ///< argv, for the result's /meta
    std::string names = {};                 ///< of the command that was given, as "sweep run"
    std::function<ExitCode()> action = {};  ///< set by that command
    PointServer* point_server = nullptr;    ///< for `sweep run` under mpirun; else null
    /// Runs a line of the program in this process, which a PointServer has made for it; returns the exit code.
    std::function<int(const std::vector<std::string>& arguments)> run_line = {};

    /// Sets the action of a line with this command.
    void on(Command command, std::function<ExitCode()> what) {
        command.when_given([this, own = command.names(), what = std::move(what)] {
            names = own;
            action = what;
        });
    }
    /// The same for an action that only prints, which only rank 0 does.
    void on_first_rank(Command command, std::function<ExitCode()> what) {
        on(command, [this, what = std::move(what)] { return prints() ? what() : ExitCode::done; });
    }

    /// Only rank 0 prints.
    bool prints() const { return transport.rank() == 0; }
    void print(const std::string& text) const {
        if (prints()) { std::fputs(text.c_str(), stdout); }
    }
};

}  // namespace lookahead::cli
