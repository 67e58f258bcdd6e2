#pragma once

#include <cstdint>

namespace lookahead::gpu {

/// What another component of the SM tells a warp's scheduler; a scheduler may make use of it or not.
enum class WarpHint : std::uint8_t {
    wake_up,     ///< data that the warp is expected to load next are in L1
    base_known,  ///< the warp led its CTA to a load, whose address is now known
};

}  // namespace lookahead::gpu
