#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/hdf5/file.h"

namespace lookahead {

/// Checks an HDF5 file against the schema that its `schema` attribute names. Returns the violations, sentences that
/// begin with the object's path; none if the file is valid. Throws InputError if the file is missing, truncated, not an
/// HDF5 file, or of an unknown schema or major version.
std::vector<std::string> validate_file(const std::string& path);

/// Throws InputError, with the first violation, unless the file is valid and of the schema `id` ("lookahead.capture").
void require_valid(const hdf5::InputFile&, std::string_view id);

/// Whether the file can be read and names the schema as its own.
bool is_file_of(const std::string& path, std::string_view id);

}  // namespace lookahead
