#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// A row as a function of the lane, from the most special to the most general kind (Collange and Kouyoumdjian, "Affine
/// Vector Cache for memory bandwidth savings", 2011, section 2.3).
enum class Affinity : std::uint8_t {
    none,     ///< nothing is written to it
    uniform,  ///< the same in all active lanes of a warp
    affine,   ///< base + lane * stride, the stride a power of two
    generic,  ///< anything else, or not known
};

/// The affinity of each row: that of the most general value that it ever holds. A static divergence analysis (Coutinho
/// et al., PACT 2011), which the paper names for this purpose. It examines only the code, so it assumes that a warp is
/// 32 neighbours in x. It is a guess for blocks whose width is not a multiple of 32, where y is not uniform and x not
/// affine, and for values that lanes keep from different rounds of a loop.
///
/// No correctness may depend on it; it is for choices between correct alternatives.
std::vector<Affinity> affinities(VirtualKernel kernel);

}  // namespace lookahead::finaliser
