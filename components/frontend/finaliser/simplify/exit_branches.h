#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// A branch to a place where the thread only exits becomes an exit under the same guard: lanes need not meet again
/// to end. Tells whether anything changed.
bool turn_branches_to_exits(VirtualKernel& kernel);

}  // namespace lookahead::finaliser
