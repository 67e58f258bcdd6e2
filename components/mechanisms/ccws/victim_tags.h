#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/cache/set_index.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The victim tag arrays of a scheduler's warps (lost locality detector; Rogers et al., MICRO 2012): evicted lines that
/// each warp brought into L1, replaced in the order of insertion. Warps are numbered from 0.
class VictimTags {
  public:
    /// Throws ConfigurationError unless `entries` is a multiple of `ways`.
    VictimTags(unsigned warps, unsigned entries, unsigned ways);

    /// Records that a line of the warp was evicted from L1.
    void insert(unsigned warp, std::uint64_t line);
    /// Looks up a line that missed in L1. If it is there, removes it, because L1 fetches it again, and returns true.
    bool take(unsigned warp, std::uint64_t line);
    void clear(unsigned warp);

    void fields(StateArchive& archive) { archive& tags_; }

  private:
    std::uint64_t* set_of(unsigned warp, std::uint64_t line) {
        return &tags_[std::size_t{warp} * entries_ + std::size_t{index_.of(line)} * ways_];
    }

    unsigned entries_;
    unsigned ways_;
    SetIndex index_;
    std::vector<std::uint64_t> tags_;  ///< by warp, set and age, youngest first; unused ways hold kNoLine
};

}  // namespace lookahead::gpu
