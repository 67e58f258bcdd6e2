#pragma once

#include <optional>
#include <string>

namespace lookahead::cli {

/// The text of a PTX file; nothing if there is no such file, so that `source` names a workload. InputError if a name
/// that ends in .ptx cannot be read.
std::optional<std::string> read_ptx(const std::string& source);

}  // namespace lookahead::cli
