#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"
#include "components/frontend/ptx/graph.h"

namespace lookahead::finaliser {

ptx::Graph flow_of(const VirtualKernel& kernel);

/// Empties blocks that control cannot reach.
void drop_unreachable_code(VirtualKernel& kernel);

}  // namespace lookahead::finaliser
