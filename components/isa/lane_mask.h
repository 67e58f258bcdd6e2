#pragma once

#include <bit>
#include <cstdint>

namespace lookahead::isa {

inline constexpr unsigned kWarpSize = 32;
/// One bit a lane; bit 0 is lane 0.
using LaneMask = std::uint32_t;
inline constexpr LaneMask kFullMask = 0xffffffffu;

/// Calls `visit(lane)` for every lane of the mask, from the lowest on.
template <class Visit>
constexpr void for_each_lane(LaneMask mask, Visit visit) {
    for (LaneMask left = mask; left != 0; left &= left - 1) { visit(static_cast<unsigned>(std::countr_zero(left))); }
}

/// The lanes of `active`, which must not be empty, that have the same word in the row as its lowest lane.
constexpr LaneMask lanes_equal_to_first(const std::uint32_t* row, LaneMask active) {
    LaneMask lanes = 0;
    for_each_lane(active,
                  [&](unsigned lane) { lanes |= LaneMask{row[lane] == row[std::countr_zero(active)]} << lane; });
    return lanes;
}

}  // namespace lookahead::isa
