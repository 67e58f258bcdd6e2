#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/hdf5/file.h"

namespace lookahead {

/// Checks an HDF5 file against the schema that its `schema` attribute names. Each violation is a sentence that
/// begins with the object's path; none: the file is valid. A file that is missing, truncated, no HDF5 file, or of
/// an unknown schema or major version is an InputError.
std::vector<std::string> validate_file(const std::string& path);

/// InputError with the first violation unless the file is a valid one of the schema `id` ("lookahead.capture").
void require_valid(const hdf5::InputFile&, std::string_view id);

/// Whether the file can be read and names the schema as its own.
bool is_file_of(const std::string& path, std::string_view id);

}  // namespace lookahead
