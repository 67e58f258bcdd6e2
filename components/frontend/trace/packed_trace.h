#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "components/isa/dim3.h"

namespace lookahead::trace {

/// A packed trace (.tracez): the same text in frames of zstd with a dictionary, and an index of CTAs and warps. All
/// numbers are little-endian:
///   the header's text and a zero byte; u32 bytes of the dictionary; u32 instructions of a chunk; the dictionary
///   by warp: u32 instructions, u32 chunks, by chunk u32 bytes and a frame with that many lines of text
///   the index: u32 CTAs; by CTA 3 u32 its place, 3 u32 its cluster's place, 3 u32 its place in the cluster, u32 rank,
///   u32 warps; by warp u32 instructions, u32 chunks, u64 offset in the file, u32 counts that are not used here
///   u64 the offset of the index
class PackedTrace {
  public:
    struct Warp {
        std::uint32_t instructions = 0;
        std::uint32_t chunks = 0;
        std::uint64_t offset = 0;  ///< in the file
    };
    struct Cta {
        isa::Dim3 place;
        std::vector<Warp> warps;
    };

    /// InputError for a file that is no complete packed trace.
    explicit PackedTrace(const std::string& path);

    const std::string& header() const { return header_; }
    const std::vector<Cta>& ctas() const { return ctas_; }
    /// The warp's lines.
    std::string text_of(const Warp& warp) const;

  private:
    std::string path_;
    std::string bytes_;  ///< of the file
    std::string header_;
    std::string dictionary_;
    std::vector<Cta> ctas_;
};

}  // namespace lookahead::trace
