#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"
#include "components/frontend/finaliser/spill/spill_choice.h"
#include "components/frontend/finaliser/spill/spill_view.h"

namespace lookahead::finaliser {

/// Removes the chosen groups from their registers: stores after writes, loads or recipes before reads. `view` describes
/// `kernel` before this, and is invalid afterwards.
void rewrite_spilled(VirtualKernel& kernel, const SpillView& view, const SpillChoice& choice, SpilledValues& values);

}  // namespace lookahead::finaliser
