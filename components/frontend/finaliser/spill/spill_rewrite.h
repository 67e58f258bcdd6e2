#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"
#include "components/frontend/finaliser/spill/spill_choice.h"
#include "components/frontend/finaliser/spill/spill_view.h"

namespace lookahead::finaliser {

/// Takes the chosen groups out of their registers: stores behind writes, loads or recipes before reads. `view` is of
/// `kernel` before that, and not to be used behind it.
void rewrite_spilled(VirtualKernel& kernel, const SpillView& view, const SpillChoice& choice, SpilledValues& values);

}  // namespace lookahead::finaliser
