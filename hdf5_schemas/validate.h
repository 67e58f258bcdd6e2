#pragma once

#include <string>
#include <vector>

namespace lookahead {

/// Checks an HDF5 file against the schema that its `schema` attribute names. Each violation is a sentence that
/// begins with the object's path; none: the file is valid. A file that is missing, truncated, no HDF5 file, or of
/// an unknown schema or major version is an InputError.
std::vector<std::string> validate_file(const std::string& path);

}  // namespace lookahead
