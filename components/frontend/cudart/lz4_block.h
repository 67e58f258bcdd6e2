#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lookahead::cudart {

/// Decompresses one LZ4 block (the format without frames: lz4_Block_format.md of the LZ4 project) to exactly `bytes`
/// bytes. Throws InputError if it is damaged.
std::vector<std::byte> decompress_lz4_block(std::span<const std::byte> block, std::uint64_t bytes);

}  // namespace lookahead::cudart
