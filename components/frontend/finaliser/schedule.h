#pragma once

#include "components/frontend/finaliser/virtual_kernel.h"

namespace lookahead::finaliser {

/// Orders the instructions of each block by a list scheduler: the longest way to the block's end first, which brings
/// loads early, as long as no more than `register_target` rows live at once; beyond that, what frees most. A stretch
/// that comes out worse than both the target and its old order keeps its old order.
void schedule(VirtualKernel& kernel, unsigned register_target);

}  // namespace lookahead::finaliser
