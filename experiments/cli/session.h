#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "core/error/error.h"
#include "core/transport/transport.h"

namespace lookahead {
class PointServer;
}

namespace lookahead::cli {

/// What every command needs, and what the command line chose to do.
struct Session {
    Transport& transport;
    std::vector<std::string> arguments;   ///< argv, for the result's /meta
    std::function<ExitCode()> action;     ///< set by the command that was given
    PointServer* point_server = nullptr;  ///< for `sweep run` under mpirun; else null

    /// Only rank 0 prints.
    bool prints() const { return transport.rank() == 0; }
    void print(const std::string& text) const {
        if (prints()) std::fputs(text.c_str(), stdout);
    }
};

}  // namespace lookahead::cli
