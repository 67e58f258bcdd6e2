#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "components/cache/set_index.h"
#include "components/protocols/memory.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

inline constexpr std::uint64_t kNoLine = ~std::uint64_t{0};

/// A line that a cache holds or awaits, whole or in sectors. Each sector is valid, awaited or absent; without sectors
/// all four change together.
struct LineInfo {
    std::uint16_t mshrs[kSectors] = {};  ///< MSHR of each awaited sector's fill
    std::uint32_t pc = 0;                ///< of the access that brought the line
    std::uint16_t owner = 0;             ///< stream context of that access
    std::uint16_t pins = 0;              ///< locks on the line (line_locks.h)
    Client client = Client::demand;
    SectorMask valid = 0;
    SectorMask awaited = 0;
    bool dirty = false;  ///< some of its bytes are newer than L2's, in valid sectors or others

    bool pending() const { return awaited != 0; }
    /// The MSHR of the fill that brings the lowest of the sectors, which must be awaited.
    std::uint32_t mshr(SectorMask sectors) const { return mshrs[std::countr_zero(unsigned{sectors})]; }
};

/// Set-associative tags. The number of a way is set * ways + way.
class TagArray {
  public:
    TagArray(SetIndex index, unsigned sets, unsigned ways)
        : index_(index), ways_(ways), tags_(std::size_t{sets} * ways, kNoLine), info_(tags_.size()) {}

    unsigned ways() const { return ways_; }
    std::size_t size() const { return tags_.size(); }
    unsigned set_of(std::uint64_t line) const { return index_.of(line); }

    /// The way that holds or awaits the line, or kNoWay.
    std::uint32_t find(std::uint64_t line) const { return find_way(tags_.data(), set_of(line) * ways_, ways_, line); }

    std::uint64_t line(std::uint32_t way) const { return tags_[way]; }
    LineInfo& info(std::uint32_t way) { return info_[way]; }
    const LineInfo& info(std::uint32_t way) const { return info_[way]; }

    /// The empty ways of the set, and those that may be replaced; one bit per way.
    struct Choice {
        std::uint64_t empty = 0;
        std::uint64_t replaceable = 0;
    };
    Choice choice(unsigned set) const {
        Choice result;
        for (unsigned way = 0; way < ways_; ++way) {
            const std::uint32_t place = set * ways_ + way;
            const std::uint64_t bit = std::uint64_t{1} << way;
            if (tags_[place] == kNoLine) {
                result.empty |= bit;
            } else if (!info_[place].pending() && info_[place].pins == 0) {
                result.replaceable |= bit;
            }
        }
        return result;
    }

    void assign(std::uint32_t way, std::uint64_t line, const LineInfo& info) {
        tags_[way] = line;
        info_[way] = info;
    }
    void clear(std::uint32_t way) { assign(way, kNoLine, {}); }

    void fields(StateArchive& archive) {
        for (std::size_t way = 0; way < tags_.size(); ++way) {
            LineInfo& info = info_[way];
            archive& tags_[way] &
                info.mshrs& info.pc& info.owner& info.pins& info.client& info.valid& info.awaited& info.dirty;
        }
    }

  private:
    SetIndex index_;
    unsigned ways_;
    std::vector<std::uint64_t> tags_;
    std::vector<LineInfo> info_;
};

}  // namespace lookahead::gpu
