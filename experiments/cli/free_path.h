#pragma once

#include <string>

namespace lookahead::cli {

/// `path`, or where a file is there, or another run is writing it, the first of path-2, path-3 .. (before the ending) where
/// none is: what nobody named is not overwritten.
std::string free_path(const std::string& path);

}  // namespace lookahead::cli
