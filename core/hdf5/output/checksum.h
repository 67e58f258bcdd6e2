#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lookahead::hdf5 {

/// The check sum of HDF5's metadata: Jenkins' lookup3 from the initial value 0.
std::uint32_t checksum(std::span<const std::byte> bytes);

}  // namespace lookahead::hdf5
