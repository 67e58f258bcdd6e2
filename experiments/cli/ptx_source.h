#pragma once

#include <optional>
#include <string>

namespace lookahead::cli {

/// The text of a PTX file; nothing if there is no such file, so that this is a workload's name. A name that ends in .ptx is
/// no workload's: InputError where it cannot be read.
std::optional<std::string> read_ptx(const std::string& source);

}  // namespace lookahead::cli
