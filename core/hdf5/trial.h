#pragma once

#include <string>

namespace lookahead::hdf5 {

/// Reads all of a file without a checksum in a child process: HDF5 may crash on a damaged file, loop for ever or use up
/// the memory. InputError if one of these happens, or if a part of the file cannot be read.
void read_on_trial(const std::string& path);

}  // namespace lookahead::hdf5
