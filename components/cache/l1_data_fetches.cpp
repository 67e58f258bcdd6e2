// Stores to parts of lines that ask for the rest (l1d.local_write_policy = write_back_fetch).
#include "components/cache/l1_data.h"

namespace lookahead::gpu {

/// Those of the sectors of which neither the stored bytes nor dirty ones of the way, if there is one, make up the
/// whole.
SectorMask L1Data::lacking(std::uint32_t way, SectorMask sectors, const ByteMask& stored) const {
    const ByteMask held = way == kNoWay ? stored : stored | dirty_[way];
    SectorMask lacking = 0;
    for (unsigned left = sectors; left != 0; left &= left - 1) {
        const auto bit = static_cast<SectorMask>(left & -left);
        lacking |= without(bytes_of(bit), held).any() ? bit : SectorMask{0};
    }
    return sectored_ || lacking == 0 ? lacking : kAllSectors;
}

/// Someone waits for a fill of one of these awaited sectors.
bool L1Data::somebody_waits(std::uint32_t way, SectorMask sectors) const {
    for (unsigned left = sectors; left != 0; left &= left - 1) {
        if (mshrs_[tags_.info(way).mshr(static_cast<SectorMask>(left))].listed != 0) { return true; }
    }
    return false;
}

/// Nobody waits for what comes; it goes around the bytes that the store has brought.
void L1Data::fetch_rest(L1Access access, SectorMask sectors, std::uint32_t way) {
    access.sectors = sectors;
    send_read(access, {}, way);
    ++counters_.store_fetches;
}

}  // namespace lookahead::gpu
