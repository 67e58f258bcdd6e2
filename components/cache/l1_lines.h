#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/cache/l1_parameters.h"
#include "components/cache/tag_array.h"
#include "components/protocols/byte_mask.h"

namespace lookahead::gpu {

/// The lines that L1 holds or awaits, with their bytes. Dirty bytes are newer than L2's. They lie in valid sectors, in
/// sectors neither valid nor awaited, or in awaited sectors if they are older than the request for the fill.
class L1Lines : public TagArray {
  public:
    explicit L1Lines(const L1Parameters& parameters)
        : TagArray(SetIndex(parameters.indexing(), static_cast<unsigned>(parameters.sets)),
                   static_cast<unsigned>(parameters.sets), static_cast<unsigned>(parameters.tags_per_set())),
          sectored_(parameters.sector_bytes == kSectorBytes),
          lines_(size()),
          dirty_(size()) {}

    bool sectored() const { return sectored_; }
    std::byte* bytes(std::uint32_t way) { return lines_[way].bytes; }
    const ByteMask& dirty(std::uint32_t way) const { return dirty_[way]; }

    /// Whether all of these bytes are valid or dirty.
    bool holds(std::uint32_t way, const ByteMask& bytes) const {
        return !without(bytes, dirty_[way] | bytes_of(info(way).valid)).any();
    }
    bool holds_bytes(std::uint32_t way) const { return info(way).valid != 0 || info(way).dirty; }
    /// The number of ways of the set that hold bytes.
    unsigned lines_held(unsigned set) const;
    /// The sectors that a store to these bytes touches; all of them in a cache without sectors.
    SectorMask touched(const ByteMask& bytes) const { return sectored_ ? sectors_of(bytes) : kAllSectors; }
    /// The given sectors that the stored bytes and the way's dirty bytes do not fill; all or none in a cache without
    /// sectors. `way` may be kNoWay.
    SectorMask lacking(std::uint32_t way, SectorMask sectors, const ByteMask& stored) const;

    /// Writes dirty bytes; sectors that become all dirty become valid. Returns the number of bytes that were clean
    /// before.
    unsigned write_dirty(std::uint32_t way, const ByteMask& mask, const std::byte* line);
    /// Makes all bytes of the way clean. Returns the number that were dirty.
    unsigned forget_dirty(std::uint32_t way);
    std::uint64_t dirty_bytes() const;

    void fields(StateArchive& archive);

  private:
    struct alignas(64) Line {
        std::byte bytes[kLineBytes] = {};
    };

    bool sectored_;
    std::vector<Line> lines_;
    std::vector<ByteMask> dirty_;
};

}  // namespace lookahead::gpu
