#pragma once

#include <optional>
#include <string>

namespace lookahead::cli {

/// `path`, or if a file is there or another run is writing it, the first unused of path-2, path-3 .. (before the
/// ending). A file that the user has not named is never overwritten.
std::string free_path(const std::string& path);

/// The text of a PTX file; nothing if there is no such file, so that `source` names a workload. InputError if a name
/// that ends in .ptx cannot be read.
std::optional<std::string> read_ptx(const std::string& source);

}  // namespace lookahead::cli
