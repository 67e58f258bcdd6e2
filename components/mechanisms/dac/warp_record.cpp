#include "components/mechanisms/dac/warp_record.h"

#include <algorithm>
#include <bit>

#include "core/mutation/rule.h"

namespace lookahead::dac {

using isa::LaneMask;

namespace {

/// Adds a lane's granule behind that of the lane before it. `alone`: no lane stands elsewhere, in this record or another, so
/// that all may be on one bit. False: no record says it.
bool append(WarpRecord& record, unsigned bit, unsigned last, bool alone) {
    if (bit == last) {
        record.broadcasts = true;
        return alone;
    }
    const bool descends = bit < last;
    if (record.broadcasts || (std::popcount(record.mask) > 1 && record.descends != descends)) {
        return false;
    }
    record.descends = descends;
    record.mask |= 1u << bit;
    return true;
}

}  // namespace

unsigned compact(const LaneAddresses& addresses, LaneMask active, unsigned bytes, unsigned most, WarpRecords& records) {
    const unsigned granule = std::min(bytes, 4u);
    const std::uint64_t span = std::uint64_t{granule} * isa::kWarpSize;
    unsigned count = 0;
    unsigned last = 0;
    for (LaneMask left = active; left != 0; left &= left - 1) {
        const std::uint64_t address = addresses[static_cast<unsigned>(std::countr_zero(left))];
        if (address % bytes != 0) {
            return 0;  // the access will be refused
        }
        const std::uint64_t region = address & ~(span - 1);
        const auto bit = static_cast<unsigned>((address - region) / granule);
        if (count == 0 || records[count - 1].region != region) {
            // Behind a broadcast there is no lane.
            if (count == most || (count > 0 && records[count - 1].broadcasts)) {
                return 0;
            }
            records[count++] = {region, 1u << bit, static_cast<std::uint8_t>(granule), false, false};
        } else if (!append(records[count - 1], bit, last, count == 1 && std::popcount(records[0].mask) == 1)) {
            return 0;
        }
        last = bit;
    }
    return count;
}

void RecordReader::give(std::uint64_t address) {
    addresses_[static_cast<unsigned>(std::countr_zero(left_))] = address;
    left_ &= left_ - 1;
}

void RecordReader::take(const WarpRecord& record) {
    if (record.broadcasts) {
        const auto bit = static_cast<unsigned>(std::countr_zero(record.mask));
        while (left_ != 0) {
            give(record.region + bit * record.granule);
        }
        return;
    }
    for (std::uint32_t bits = record.mask; bits != 0 && left_ != 0;) {
        const bool from_top = LOOKAHEAD_RULE(records_have_a_direction) && record.descends;
        const auto bit = static_cast<unsigned>(from_top ? 31 - std::countl_zero(bits) : std::countr_zero(bits));
        bits &= ~(1u << bit);
        give(record.region + bit * record.granule);
    }
}

}  // namespace lookahead::dac
