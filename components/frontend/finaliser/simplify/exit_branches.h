#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Turns a branch to a place where the thread only exits into an exit under the same guard: lanes need not meet again
/// to end. Returns whether anything changed.
bool turn_branches_to_exits(VirtualKernel& kernel);

}  // namespace lookahead::finaliser
