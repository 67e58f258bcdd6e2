#pragma once

#include <cstdint>
#include <string>

namespace lookahead::hdf5 {

/// Behind the end of an HDF5 file, where HDF5 does not look, stand 24 bytes: the text "CHECKSUM", the number of bytes before
/// it, and the CRC-32 of these bytes (as zlib's crc32 gives it), little-endian numbers of 8 bytes. A tool that opens the file
/// to change it cuts them off.
constexpr std::uint64_t kChecksumBytes = 24;

enum class Checksum { none, right, wrong };

/// What the file, open for reading, has at its end. InputError, with the path, if it cannot be read.
Checksum checksum_of(int descriptor, const std::string& path);

/// Adds it to a file that is open for reading and writing and has none.
void append_checksum(int descriptor, const std::string& path);

}  // namespace lookahead::hdf5
