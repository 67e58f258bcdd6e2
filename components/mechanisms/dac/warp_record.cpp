#include "components/mechanisms/dac/warp_record.h"

#include <algorithm>
#include <bit>

#include "core/mutation/rule.h"

namespace lookahead::dac {

using isa::LaneMask;

namespace {

/// The lanes from the lowest of `left` to the end of its row.
LaneMask rest_of_row(LaneMask left, LaneMask rows) {
    const LaneMask below_and_first = left ^ (left - 1);
    const LaneMask next = rows & ~below_and_first;
    return next == 0 ? isa::kFullMask : (next & (0U - next)) - 1;
}

/// The record being written, with the state that decides whether a lane can be added.
struct Open {
    WarpRecord* record = nullptr;
    unsigned last = 0;   ///< bit of the last lane
    bool spans = false;  ///< lanes of several rows share that bit: it must be the last one

    bool single() const { return std::popcount(record->mask) == 1; }

    /// Adds a lane on the bit of the lane before it: the record broadcasts.
    bool repeat(bool new_row) {
        if (!record->broadcasts && !single()) { return false; }
        record->broadcasts = true;
        spans |= new_row;
        return true;
    }
    /// Adds a lane on another bit.
    bool append(unsigned bit, bool new_row) {
        const bool descends = bit < last;
        if (spans || (record->broadcasts && !new_row) || (!single() && record->descends != descends)) { return false; }
        record->descends = descends;
        record->mask |= 1u << bit;
        last = bit;
        return true;
    }
    /// Whether the record remains right if another one follows.
    bool may_end(bool new_row) const { return !spans && (new_row || !record->broadcasts); }
};

}  // namespace

LaneMask row_starts(unsigned warp, unsigned width) {
    LaneMask rows = 1;
    for (unsigned lane = 1; lane < isa::kWarpSize; ++lane) {
        rows |= static_cast<LaneMask>((warp * isa::kWarpSize + lane) % width == 0) << lane;
    }
    return rows;
}

unsigned compact(const LaneAddresses& addresses, LaneMask active, LaneMask rows, unsigned bytes, unsigned most,
                 WarpRecords& records) {
    const unsigned granule = std::min(bytes, 4u);
    const std::uint64_t span = std::uint64_t{granule} * isa::kWarpSize;
    unsigned count = 0;
    Open open;
    LaneMask row = 0;
    for (LaneMask left = active; left != 0; left &= left - 1) {
        const std::uint64_t address = addresses[static_cast<unsigned>(std::countr_zero(left))];
        if (address % bytes != 0) {
            return 0;  // the access will be refused
        }
        const std::uint64_t region = address & ~(span - 1);
        const auto bit = static_cast<unsigned>((address - region) / granule);
        const bool new_row = (row & left & (0U - left)) == 0 && LOOKAHEAD_RULE(records_know_rows);
        if (new_row) { row = rest_of_row(left, rows); }
        if (count > 0 && records[count - 1].region == region &&
            (bit == open.last ? open.repeat(new_row) : open.append(bit, new_row))) {
            continue;
        }
        const bool same = count > 0 && records[count - 1].region == region;
        if (count == most || (count > 0 && !open.may_end(new_row)) || (same && !new_row)) { return 0; }
        records[count] = {region, 1u << bit, static_cast<std::uint8_t>(granule), false, false};
        open = {&records[count++], bit, false};
    }
    return count;
}

void RecordReader::give(std::uint64_t address) {
    addresses_[static_cast<unsigned>(std::countr_zero(left_))] = address;
    left_ &= left_ - 1;
}

void RecordReader::give_row(std::uint64_t address) {
    for (const LaneMask row = left_ & rest_of_row(left_, rows_); (left_ & row) != 0;) { give(address); }
}

void RecordReader::take(const WarpRecord& record, bool last) {
    for (std::uint32_t bits = record.mask; bits != 0 && left_ != 0;) {
        const bool from_top = LOOKAHEAD_RULE(records_have_a_direction) && record.descends;
        const auto bit = static_cast<unsigned>(from_top ? 31 - std::countl_zero(bits) : std::countr_zero(bits));
        bits &= ~(1u << bit);
        const std::uint64_t address = record.region + bit * record.granule;
        if (!record.broadcasts) {
            give(address);
            continue;
        }
        do { give_row(address); } while (last && bits == 0 && left_ != 0);
    }
}

}  // namespace lookahead::dac
