#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/cache/set_index.h"
#include "components/cache/tag_array.h"
#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The victim tag arrays of a scheduler's warps (lost locality detector; Rogers et al., MICRO 2012): evicted lines that
/// each warp brought into L1, replaced in the order of insertion. Warps are numbered from 0.
class VictimTags {
  public:
    /// Throws ConfigurationError unless `entries` is a multiple of `ways`.
    VictimTags(unsigned warps, unsigned entries, unsigned ways)
        : entries_(entries),
          ways_(ways),
          index_(SetIndexing::linear, sets_of(entries, ways)),
          tags_(std::size_t{warps} * entries, kNoLine) {}

    /// Records that a line of the warp was evicted from L1.
    void insert(unsigned warp, std::uint64_t line) {
        std::uint64_t* const set = set_of(warp, line);
        std::uint64_t* const place = std::find(set, set + ways_ - 1, line);
        std::rotate(set, place, place + 1);
        set[0] = line;
    }
    /// Looks up a line that missed in L1. If it is there, removes it, because L1 fetches it again, and returns true.
    bool take(unsigned warp, std::uint64_t line) {
        std::uint64_t* const set = set_of(warp, line);
        std::uint64_t* const end = set + ways_;
        std::uint64_t* const place = std::find(set, end, line);
        if (place == end) { return false; }
        std::rotate(place, place + 1, end);
        end[-1] = kNoLine;
        return true;
    }
    void clear(unsigned warp) {
        std::fill_n(tags_.begin() + static_cast<std::ptrdiff_t>(std::size_t{warp} * entries_), entries_, kNoLine);
    }

    void fields(StateArchive& archive) { archive& tags_; }

  private:
    static unsigned sets_of(unsigned entries, unsigned ways) {
        if (entries % ways != 0) {
            throw ConfigurationError(
                "ccws.victim_entries is {}; it must be a multiple of ccws.victim_ways, which is {}", entries, ways);
        }
        return entries / ways;
    }

    std::uint64_t* set_of(unsigned warp, std::uint64_t line) {
        return &tags_[std::size_t{warp} * entries_ + std::size_t{index_.of(line)} * ways_];
    }

    unsigned entries_;
    unsigned ways_;
    SetIndex index_;
    std::vector<std::uint64_t> tags_;  ///< by warp, set and age, youngest first; unused ways hold kNoLine
};

}  // namespace lookahead::gpu
