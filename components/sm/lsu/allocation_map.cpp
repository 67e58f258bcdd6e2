#include "components/sm/lsu/allocation_map.h"

#include <algorithm>

#include "core/error/error.h"

namespace lookahead::gpu {

void AllocationMap::update(const AllocationUpdate& update) {
    const auto place =
        std::lower_bound(ranges_.begin(), ranges_.end(), update.address,
                         [](const Range& range, std::uint64_t address) { return range.begin < address; });
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
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), begin,
                         [](std::uint64_t address, const Range& range) { return address < range.begin; });
    if (after == ranges_.begin() || std::prev(after)->end < end) { return false; }
    last_ = *std::prev(after);
    return true;
}

}  // namespace lookahead::gpu
