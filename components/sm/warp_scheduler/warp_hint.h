#pragma once

#include <cstdint>

namespace lookahead::gpu {

/// A message from another component of the SM to a warp's scheduler, which may ignore it.
enum class WarpHint : std::uint8_t {
    promote,  ///< issue it soon: its next data are probably near
    demote,   ///< it need no longer run ahead of the others
};

}  // namespace lookahead::gpu
