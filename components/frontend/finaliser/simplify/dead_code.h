#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Removes instructions whose results nobody reads; atomics whose old value nobody reads become reductions.
/// Tells whether anything changed.
bool remove_dead_code(VirtualKernel& kernel);

}  // namespace lookahead::finaliser
