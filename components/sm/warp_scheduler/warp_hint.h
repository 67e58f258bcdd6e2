#pragma once

#include <cstdint>

namespace lookahead::gpu {

/// What another component of the SM tells a warp's scheduler; a scheduler may make use of it or not.
enum class WarpHint : std::uint8_t {
    promote,  ///< issue it soon: what it is expected to need next is near
    demote,   ///< it need not run ahead of the others any more
};

}  // namespace lookahead::gpu
