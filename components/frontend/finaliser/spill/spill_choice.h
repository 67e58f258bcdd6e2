#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/finaliser/allocate/allocate.h"
#include "components/frontend/finaliser/code/bit_set.h"
#include "components/frontend/finaliser/spill/spill_view.h"

namespace lookahead::finaliser {

/// A group that leaves its registers.
struct Victim {
    std::uint32_t group = 0;
    bool by_recipe = false;  ///< its values are made again; else they go to local memory
};

/// What one round of spilling does.
struct SpillChoice {
    std::vector<Victim> victims;
    BitSet crowded;  ///< by instruction: registers run out there
};

/// Chooses groups whose spilling makes room where registers beyond `limit` are in use, those that make most room for
/// their cost: one at each such place, or as many as make half of those registers free where the kernel is long and many
/// are missing. No victims if nothing makes room.
SpillChoice choose_victims(const SpillView& view, const Allocation& allocation, unsigned limit,
                           const SpilledValues& values);

}  // namespace lookahead::finaliser
