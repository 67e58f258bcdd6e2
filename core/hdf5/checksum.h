#pragma once

#include <cstdint>
#include <string>

namespace lookahead::hdf5 {

/// 24 bytes follow the end of an HDF5 file, where HDF5 does not read: the text "CHECKSUM", the number of bytes before
/// it, and the CRC-32 of these bytes (zlib's crc32); the numbers are little-endian and have 8 bytes each. A tool that
/// opens the file to change it cuts the 24 bytes off.
constexpr std::uint64_t kChecksumBytes = 24;

enum class Checksum { none, right, wrong };

/// Reads the checksum at the end of a file that is open for reading. InputError, with the path, if it cannot be read.
Checksum checksum_of(int descriptor, const std::string& path);

/// Appends the checksum to a file that is open for reading and writing and has none.
void append_checksum(int descriptor, const std::string& path);

}  // namespace lookahead::hdf5
