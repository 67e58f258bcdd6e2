#pragma once

#include <string>

namespace lookahead::cli {

/// `path`, or if a file is there or another run is writing it, the first unused of path-2, path-3 .. (before the
/// ending). A file that the user has not named is never overwritten.
std::string free_path(const std::string& path);

}  // namespace lookahead::cli
