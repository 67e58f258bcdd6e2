#pragma once

#include <cstdint>

namespace lookahead::isa {

/// How diverged lanes of a warp run. `stack`: a reconvergence stack; a path runs until it reconverges or ends.
/// `convergence_barrier`: every path makes progress, and lanes named by a `*.sync` wait for one another.
enum class SimtModel : std::uint8_t { stack, convergence_barrier };

}  // namespace lookahead::isa
