#pragma once

#include <array>
#include <cstdint>

#include "components/isa/lane_mask.h"
#include "core/state/state_archive.h"

namespace lookahead::dac {

/// What the address expansion unit writes to a warp's queue (Wang and Lin, ISCA 2017, section 4.2): a line, or a part of
/// one, and a bit for each of its 32 granules that some lane begins at. Active lanes stand on the bits in their order, one a
/// bit, up or down; or all on the only bit there is. The paper gives 65 bits: 32 of mask, direction, broadcast, and 31 of
/// address and granularity; wider accesses than a word are known from the instruction.
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

/// The records of a warp's access of `bytes` a lane (1 to 64, a power of two), in the order of its lanes. Returns how many; 0:
/// records cannot say it, or more than `most` would be needed.
unsigned compact(const LaneAddresses& addresses, isa::LaneMask active, unsigned bytes, unsigned most,
                 WarpRecords& records);

/// Takes the addresses of the lanes from records, one after the other.
class RecordReader {
  public:
    RecordReader(isa::LaneMask active, LaneAddresses& addresses) : left_(active), addresses_(addresses) {}
    void take(const WarpRecord& record);
    /// Every active lane has its address.
    bool done() const { return left_ == 0; }

  private:
    void give(std::uint64_t address);

    isa::LaneMask left_;
    LaneAddresses& addresses_;
};

}  // namespace lookahead::dac
