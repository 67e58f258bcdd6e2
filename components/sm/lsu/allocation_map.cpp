#include "components/sm/lsu/allocation_map.h"

#include <algorithm>

#include "core/error/error.h"

namespace lookahead::gpu {

void AllocationMap::update(const AllocationUpdate& update) {
    const auto place = std::ranges::lower_bound(ranges_, update.address, {}, &Range::begin);
    const std::uint64_t end = update.address + update.bytes;
    if (update.released != 0) {
        LOOKAHEAD_ASSERT(place != ranges_.end() && place->begin == update.address && place->end == end,
                         "an allocation was released that was never made, at {}", update.address);
        ranges_.erase(place);
    } else {
        LOOKAHEAD_ASSERT((place == ranges_.end() || end <= place->begin) &&
                             (place == ranges_.begin() || std::prev(place)->end <= update.address),
                         "two allocations overlap at {}", update.address);
        ranges_.insert(place, {update.address, end});
    }
    last_ = {};
}

[[gnu::hot]] bool AllocationMap::search(std::uint64_t begin, std::uint64_t end) const {
    const auto after = std::ranges::upper_bound(ranges_, begin, {}, &Range::begin);
    if (after == ranges_.begin() || std::prev(after)->end < end) { return false; }
    last_ = *std::prev(after);
    return true;
}

}  // namespace lookahead::gpu
