#pragma once

#include <optional>
#include <string>

namespace lookahead {

/// Compares all groups of two run files except /meta and /engine, bit for bit: attributes, types, shapes and values.
/// The origins of settings do not count, nor, if all settings are equal, their machines' names. Returns lines with the
/// object's path, the index and both values: the differing settings (the first ten), the differing attributes of the
/// file, and the first difference of the rest. Empty if there is none. InputError for a file that cannot be read, or
/// for files of different schemas.
std::optional<std::string> diff_runs(const std::string& path_a, const std::string& path_b);

}  // namespace lookahead
