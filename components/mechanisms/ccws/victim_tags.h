#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/cache/set_index.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Victim tag arrays, one for each of some warps: lines that a warp brought into L1 and that made room for others,
/// least recently inserted ones first out (Rogers et al., MICRO 2012, lost locality detector). Warps are numbered from
/// 0 here.
class VictimTags {
  public:
    /// ConfigurationError if `entries` is no multiple of `ways`.
    VictimTags(unsigned warps, unsigned entries, unsigned ways);

    /// The line was evicted.
    void insert(unsigned warp, std::uint64_t line);
    /// The line misses: true if it is there. It is taken out then, for it comes back into L1.
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
    std::vector<std::uint64_t> tags_;  ///< by warp, set and age, the youngest first; kNoLine behind the last one
};

}  // namespace lookahead::gpu
