#pragma once

#include "components/frontend/finaliser/spill_choice.h"
#include "components/frontend/finaliser/spill_view.h"
#include "components/frontend/finaliser/virtual_kernel.h"

namespace lookahead::finaliser {

/// Takes the chosen groups out of their registers: stores behind writes, loads or recipes before reads. `view` is of
/// `kernel` before that, and not to be used behind it.
void rewrite_spilled(VirtualKernel& kernel, const SpillView& view, const SpillChoice& choice, SpilledValues& values);

}  // namespace lookahead::finaliser
