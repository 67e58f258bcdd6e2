#pragma once

#include <array>
#include <cstdint>

#include "components/isa/lane_mask.h"
#include "core/state/state_archive.h"

namespace lookahead::dac {

/// What the address expansion unit writes to a warp's queue (Wang and Lin, ISCA 2017, section 4.2): a line, or a part
/// of one, and a bit for each of its 32 granules that some lane begins at. Active lanes stand on the bits in their
/// order, one a bit, up or down. Of a record that broadcasts the lanes of one row of the block stand on each bit, and
/// all that are left on the access's last bit: of blocks narrower than a warp, whose rows' addresses repeat, or differ
/// from row to row only. The paper gives 65 bits: 32 of mask, direction, broadcast, and 31 of address and granularity;
/// wider accesses than a word are known from the instruction, and where rows begin from the launch.
struct WarpRecord {
    std::uint64_t region = 0;  ///< address of the first granule, a multiple of 32 granules
    std::uint32_t mask = 0;    ///< bit i: the granule at region + i * granule
    std::uint8_t granule = 4;  ///< bytes: a word, half a word or a byte
    bool descends = false;
    bool broadcasts = false;

    bool operator==(const WarpRecord&) const = default;
    void fields(StateArchive& archive) { archive& region& mask& granule& descends& broadcasts; }
};

using WarpRecords = std::array<WarpRecord, isa::kWarpSize>;
using LaneAddresses = std::array<std::uint64_t, isa::kWarpSize>;

/// The lanes of a warp at which a row of its block begins, the first one always: `warp` is its number in a block that
/// is `width` threads wide.
isa::LaneMask row_starts(unsigned warp, unsigned width);

/// The records of a warp's access of `bytes` a lane (1 to 64, a power of two), in the order of its lanes. Returns how
/// many; 0: records cannot say it, or more than `most` would be needed.
unsigned compact(const LaneAddresses& addresses, isa::LaneMask active, isa::LaneMask rows, unsigned bytes,
                 unsigned most, WarpRecords& records);

/// Takes the addresses of the lanes from the records of an access, one after the other.
class RecordReader {
  public:
    RecordReader(isa::LaneMask active, isa::LaneMask rows, LaneAddresses& addresses)
        : left_(active), rows_(rows), addresses_(addresses) {}
    /// `last`: no record of the access is behind it.
    void take(const WarpRecord& record, bool last);
    /// Every active lane has its address.
    bool done() const { return left_ == 0; }

  private:
    void give(std::uint64_t address);
    void give_row(std::uint64_t address);

    isa::LaneMask left_;
    isa::LaneMask rows_;
    LaneAddresses& addresses_;
};

}  // namespace lookahead::dac
