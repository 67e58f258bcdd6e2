#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/finaliser/allocate/allocate.h"
#include "components/frontend/finaliser/code/bit_set.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"
#include "components/frontend/finaliser/spill/spill_view.h"

namespace lookahead::finaliser {

/// A group that leaves its registers.
struct Victim {
    std::uint32_t group = 0;
    bool by_recipe = false;  ///< its values are made again; else they go to local memory
};

/// The choice of one round of spilling.
struct SpillChoice {
    std::vector<Victim> victims;
    BitSet crowded;  ///< by instruction: registers run out there
};

/// Chooses groups whose spilling makes room where more than `limit` registers are in use, those that free most for
/// their cost: one at each such place, or as many as free half of the excess if the kernel is long and many registers
/// are missing. No victims if none makes room.
SpillChoice choose_victims(const SpillView& view, const Allocation& allocation, unsigned limit,
                           const SpilledValues& values);

/// Removes the chosen groups from their registers: stores after writes, loads or recipes before reads. `view` describes
/// `kernel` before this, and is invalid afterwards.
void rewrite_spilled(VirtualKernel& kernel, const SpillView& view, const SpillChoice& choice, SpilledValues& values);

}  // namespace lookahead::finaliser
