#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/hdf5/output/byte_writer.h"
#include "core/hdf5/output/file_space.h"

/// Large arrays: chunks of whole rows, shuffled and compressed (gzip 1), found through a B-tree.
namespace lookahead::hdf5 {

struct ChunkedValues {
    std::vector<std::uint64_t> chunk;  ///< shape of a chunk
    std::uint64_t index = 0;           ///< address of the B-tree
};

/// Writes the values of an array that is not empty.
ChunkedValues write_chunks(FileSpace& space, std::span<const std::byte> values, std::span<const std::uint64_t> shape,
                           std::uint64_t element_bytes);

/// The bodies of the messages that say so.
void put_chunked_layout(ByteWriter& writer, const ChunkedValues& values, std::uint64_t element_bytes);
void put_filters(ByteWriter& writer, std::uint64_t element_bytes);

}  // namespace lookahead::hdf5
