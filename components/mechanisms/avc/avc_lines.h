#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/cache/l1_companion.h"
#include "components/cache/replacement_policy.h"
#include "components/cache/tag_array.h"
#include "components/mechanisms/avc/affine_vector.h"
#include "components/protocols/byte_mask.h"
#include "core/param/parameters.h"

namespace lookahead {
class StateArchive;
}  // namespace lookahead

namespace lookahead::gpu {

struct AvcParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, sets, 64, {1, 4096, "set"},
                        {.help = "Sets of the affine vector cache.",
                         .source = "Collange and Kouyoumdjian, 2011, table 3: 64 in all three sizes"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, ways, 2, {1, 6, "line"},
        {.help = "Lines in a set; each takes 128 bytes: sixteen vectors with their valid bits. With 64 sets, 1, 2 and "
                 "3 lines are 8, 16 and 24 KB, beside l1d.ways of 5, 4 and 3.",
         .source = "Collange and Kouyoumdjian, 2011, table 3: 16 KB of two ways is the operating point"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, granularity, 32, {16, 32, "lane"},
        {.help = "Lanes of a vector: 32, a warp, or 16, half of one. A line holds sixteen vectors in either case.",
         .source =
             "Collange and Kouyoumdjian, 2011, section 3.2: 32; 16 is what it proposes for blocks of 16 x 16 threads"});
    LOOKAHEAD_PARAMETER(std::int64_t, latency, 1, {0, 64, "cycle"},
                        {.help = "Additional latency of every load from private memory, affine or not.",
                         .source = "Collange and Kouyoumdjian, 2011, section 5.3: 1"});
    LOOKAHEAD_PARAMETER(
        bool, encoder, true,
        {.help = "false: no store is encoded, so that L1D serves all accesses, and the additional latency stays.",
         .source = "no property of the paper's machine: a baseline"});
    LOOKAHEAD_PARAMETER(std::string, layout, "warp_major", {"warp_major", "word_major"},
                        {.help = "Which vectors share a line: those of neighbouring words of a warp, or those of one "
                                 "word of neighbouring warps.",
                         .source = "estimate: the paper's lines hold 16 vectors, and it does not say which; its tags "
                                   "are made from addresses, in which a warp's words are neighbours"});
    LOOKAHEAD_PARAMETER(
        std::string, partial_writes, "word_masks", {"word_masks", "read_modify_write"},
        {.help = "What a store of only some lanes does: it leaves a vector with some words valid, or it must form an "
                 "affine vector together with the words that it does not write.",
         .source = "Collange and Kouyoumdjian, 2011, section 4.2: word masks; the other is what it tried first"});
    LOOKAHEAD_ALL_DECLARED;
};

inline constexpr unsigned kVectorsOfLine = 16;
inline constexpr std::uint32_t kNoAvcLine = ~std::uint32_t{0};

/// A vector in compact form, with a valid bit (Collange and Kouyoumdjian, 2011, figure 4) and a dirty bit for each
/// lane. Words that a fill brought are not dirty and need no write-back.
struct CompactVector {
    AffineVector affine;
    std::uint32_t valid = 0;
    std::uint32_t dirty = 0;  ///< a subset of `valid`

    void fields(StateArchive& archive) { archive& affine.base& affine.stride& valid& dirty; }
};

/// Where the cache keeps the vectors of a line of memory.
struct AvcPlace {
    std::uint64_t group;  ///< the tag, common to the lines of memory that share a cache line
    unsigned first;       ///< index of the line's first vector in the cache line
};

/// Tags and vectors of the affine vector cache, and the mapping from lines of memory to cache lines. The valid bits are
/// in the data array and not beside the tags (section 4.2), so a cache line whose vectors have lost all words keeps its
/// place until it is replaced.
class AvcLines {
  public:
    AvcLines(const AvcParameters& parameters, const Configuration& configuration);

    /// Vectors for each line of memory: 1 of a warp, or 2 of half a warp.
    unsigned vectors_of_line() const { return vectors_; }
    /// Lines of memory that share a cache line.
    unsigned memory_lines() const { return kVectorsOfLine / vectors_; }
    unsigned lanes() const { return lanes_; }

    AvcPlace place_of(std::uint64_t line) const;
    /// The address of line `which` of the group.
    std::uint64_t line_of(std::uint64_t group, unsigned which) const;

    /// Index of the cache line with this tag, or kNoAvcLine.
    std::uint32_t find(std::uint64_t group) const;
    /// The cache line to fill for a tag that is not in the cache: an empty one, or the one to replace.
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
    /// Sets the private words of each thread of the kernel; a warp has as many lines of private memory.
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
    std::uint64_t reciprocal_ = 0;  // ceil(2^64 / words_of_thread_); 0 for 1 word, because 2^64 does not fit
    std::vector<std::uint64_t> tags_;
    std::vector<CompactVector> vectors_of_lines_;
    std::unique_ptr<ReplacementPolicy> replacement_;
};

}  // namespace lookahead::gpu
