#pragma once

#include <optional>
#include <string>

namespace lookahead {

/// Compares all groups of two run files but /meta and /engine, bit for bit: attributes, types, shapes and values.
/// The first difference as a sentence with the object's path, the index and both values; nothing if there is none.
/// A file that cannot be read, or is of another schema than the other, is an InputError.
std::optional<std::string> diff_runs(const std::string& path_a, const std::string& path_b);

}  // namespace lookahead
