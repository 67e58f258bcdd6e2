#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "components/cache/byte_mask.h"
#include "components/cache/l1_companion.h"
#include "components/cache/replacement_policy.h"
#include "components/cache/tag_array.h"
#include "components/mechanisms/avc/affine_vector.h"
#include "components/mechanisms/avc/avc_parameters.h"

namespace lookahead {
class Configuration;
class StateArchive;
}  // namespace lookahead

namespace lookahead::gpu {

inline constexpr unsigned kVectorsOfLine = 16;
inline constexpr std::uint32_t kNoAvcLine = ~std::uint32_t{0};

/// A vector in compact form, with a valid bit a word (Collange and Kouyoumdjian, 2011, figure 4) and a dirty bit: words
/// that came with a fill need not be written back. Bit i is lane i of the vector.
struct CompactVector {
    AffineVector affine;
    std::uint32_t valid = 0;
    std::uint32_t dirty = 0;  ///< among the valid ones

    void fields(StateArchive& archive);
};

/// Where the vectors of a line of memory are, if they are in the cache.
struct AvcPlace {
    std::uint64_t group;  ///< the tag: lines of memory that share a line of the cache
    unsigned first;       ///< the line's first vector in it
};

/// Tags and vectors of the affine vector cache, and which lines of memory share a line of it. Valid bits are in the
/// data array and not beside the tags (section 4.2), so that a line all of whose vectors have lost their words keeps
/// its place until it makes room.
class AvcLines {
  public:
    AvcLines(const AvcParameters& parameters, const Configuration& configuration);

    /// Vectors of a line of memory: 1, or 2 of half a warp.
    unsigned vectors_of_line() const { return vectors_; }
    /// Lines of memory that a line of the cache covers.
    unsigned memory_lines() const { return kVectorsOfLine / vectors_; }
    unsigned lanes() const { return lanes_; }

    AvcPlace place_of(std::uint64_t line) const;
    /// The line of memory number `which` of the group.
    std::uint64_t line_of(std::uint64_t group, unsigned which) const;

    /// The line that has the tag, or kNoAvcLine.
    std::uint32_t find(std::uint64_t group) const;
    /// A line for the tag that has none: an empty one, or that which is to make room.
    std::uint32_t choose(std::uint64_t group) const;
    std::uint64_t group(std::uint32_t at) const { return tags_[at]; }
    void assign(std::uint32_t at, std::uint64_t group);
    void release(std::uint32_t at) { tags_[at] = kNoLine; }
    void touch(std::uint32_t at) { replacement_->touch(at / ways_, at % ways_); }
    CompactVector* vectors(std::uint32_t at) { return &vectors_of_lines_[std::size_t{at} * kVectorsOfLine]; }
    const CompactVector* vectors(std::uint32_t at) const {
        return &vectors_of_lines_[std::size_t{at} * kVectorsOfLine];
    }

    void clear();
    /// Private words of each thread of the kernel; a warp has as many lines of memory.
    void set_words_of_thread(std::uint32_t words);
    std::uint64_t dirty_words() const;
    void fields(StateArchive& archive);

  private:
    std::uint64_t warp_of(std::uint64_t row) const {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>(static_cast<Wide>(row) * reciprocal_ >> 64);
    }

    unsigned ways_;
    unsigned sets_;
    unsigned lanes_;
    unsigned vectors_;
    bool word_major_;
    std::uint32_t words_of_thread_ = 1;
    std::uint64_t reciprocal_ = 0;  // ceil(2^64 / words_of_thread_); 0 for 1, where it does not fit
    std::vector<std::uint64_t> tags_;
    std::vector<CompactVector> vectors_of_lines_;
    std::unique_ptr<ReplacementPolicy> replacement_;
};

}  // namespace lookahead::gpu
