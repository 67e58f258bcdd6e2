#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Removes instructions whose results are not read; atomics whose old value is not read become reductions. Returns
/// whether anything changed.
bool remove_dead_code(VirtualKernel& kernel);

}  // namespace lookahead::finaliser
