#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Copies, literals, address sums and dead code, until nothing changes.
void simplify(VirtualKernel& kernel);

}  // namespace lookahead::finaliser
