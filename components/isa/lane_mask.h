#pragma once

#include <cstdint>

namespace lookahead::isa {

inline constexpr unsigned kWarpSize = 32;
/// One bit a lane; bit 0 is lane 0.
using LaneMask = std::uint32_t;
inline constexpr LaneMask kFullMask = 0xffffffffu;

}  // namespace lookahead::isa
