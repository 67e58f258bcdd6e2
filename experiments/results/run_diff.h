#pragma once

#include <optional>
#include <string>

namespace lookahead {

/// Compares all groups of two run files but /meta and /engine, bit for bit: attributes, types, shapes and values. Where a
/// setting was written does not count, nor, if all settings are equal, what their machine is called.
/// A line each, with the object's path, the index and both values: the settings that differ, the first ten of them; the
/// file's attributes that differ; the first difference of the rest. Nothing if there is none.
/// A file that cannot be read, or is of another schema than the other, is an InputError.
std::optional<std::string> diff_runs(const std::string& path_a, const std::string& path_b);

}  // namespace lookahead
