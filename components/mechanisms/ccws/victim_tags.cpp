#include "components/mechanisms/ccws/victim_tags.h"

#include <algorithm>

#include "components/cache/tag_array.h"
#include "core/error/error.h"

namespace lookahead::gpu {
namespace {

unsigned sets_of(unsigned entries, unsigned ways) {
    if (entries % ways != 0) {
        throw ConfigurationError("ccws.victim_entries is {}; it must be a multiple of ccws.victim_ways, which is {}",
                                 entries, ways);
    }
    return entries / ways;
}

}  // namespace

VictimTags::VictimTags(unsigned warps, unsigned entries, unsigned ways)
    : entries_(entries),
      ways_(ways),
      index_(SetIndexing::linear, sets_of(entries, ways)),
      tags_(std::size_t{warps} * entries, kNoLine) {}

void VictimTags::insert(unsigned warp, std::uint64_t line) {
    std::uint64_t* const set = set_of(warp, line);
    std::uint64_t* const place = std::find(set, set + ways_ - 1, line);
    std::rotate(set, place, place + 1);
    set[0] = line;
}

bool VictimTags::take(unsigned warp, std::uint64_t line) {
    std::uint64_t* const set = set_of(warp, line);
    std::uint64_t* const end = set + ways_;
    std::uint64_t* const place = std::find(set, end, line);
    if (place == end) { return false; }
    std::rotate(place, place + 1, end);
    end[-1] = kNoLine;
    return true;
}

void VictimTags::clear(unsigned warp) {
    std::fill_n(tags_.begin() + static_cast<std::ptrdiff_t>(std::size_t{warp} * entries_), entries_, kNoLine);
}

}  // namespace lookahead::gpu
