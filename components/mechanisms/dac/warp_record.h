#pragma once

#include <array>
#include <cstdint>

#include "components/isa/lane_mask.h"
#include "core/state/state_archive.h"

namespace lookahead::dac {

/// A record that the address expansion unit writes to a warp's queue (Wang and Lin, ISCA 2017, section 4.2): a line or
/// a part of it, with a bit for each of its 32 granules at which some lane begins. Active lanes correspond to the bits
/// in order, one lane per bit, upwards or downwards. In a record that broadcasts, the lanes of one row of the block
/// share a bit, and all remaining lanes share the access's last bit; this serves blocks narrower than a warp, whose
/// rows' addresses repeat or differ only from row to row. The paper has 65 bits: 32 of mask, direction, broadcast, and
/// 31 of address and granularity. The instruction tells accesses wider than a word, and the launch where rows begin.
struct WarpRecord {
    std::uint64_t region = 0;  ///< address of the first granule, a multiple of 32 granules
    std::uint32_t mask = 0;    ///< bit i: the granule at region + i * granule
    std::uint8_t granule = 4;  ///< bytes: 4, 2 or 1
    bool descends = false;
    bool broadcasts = false;

    bool operator==(const WarpRecord&) const = default;
    void fields(StateArchive& archive) { archive& region& mask& granule& descends& broadcasts; }
};

using WarpRecords = std::array<WarpRecord, isa::kWarpSize>;
using LaneAddresses = std::array<std::uint64_t, isa::kWarpSize>;

/// The lanes of warp number `warp` at which rows of its block, `width` threads wide, begin; always the first lane.
isa::LaneMask row_starts(unsigned warp, unsigned width);

/// Makes the records of a warp's access of `bytes` per lane (1 to 64, a power of two), in the order of its lanes.
/// Returns their number; 0 if records cannot express the access or would exceed `most`.
unsigned compact(const LaneAddresses& addresses, isa::LaneMask active, isa::LaneMask rows, unsigned bytes,
                 unsigned most, WarpRecords& records);

/// Reads the lanes' addresses from the records of an access, one record after another.
class RecordReader {
  public:
    RecordReader(isa::LaneMask active, isa::LaneMask rows, LaneAddresses& addresses)
        : left_(active), rows_(rows), addresses_(addresses) {}
    /// `last`: this is the last record of the access.
    void take(const WarpRecord& record, bool last);
    /// Whether every active lane has its address.
    bool done() const { return left_ == 0; }

  private:
    void give(std::uint64_t address);
    void give_row(std::uint64_t address);

    isa::LaneMask left_;
    isa::LaneMask rows_;
    LaneAddresses& addresses_;
};

}  // namespace lookahead::dac
