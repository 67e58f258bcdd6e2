#pragma once

#include <string>
#include <vector>

#include "experiments/capture/server.h"

namespace lookahead {

/// Runs `command` with the replacement libcudart.so of `library_folder` and serves it until it ends; its exit status.
/// A program that cannot be started, that needs what is not supported, or that a signal ends is an InputError or a
/// ProgramError.
int run_captured(const std::vector<std::string>& command, const std::string& library_folder, CaptureServer& server);

}  // namespace lookahead
