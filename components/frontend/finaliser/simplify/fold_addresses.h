#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Moves the literal of `base + literal` into the offsets of memory accesses, if these are the sum's only readers.
/// Exact: offsets wrap at the width of the base, like the addition. Returns whether anything changed.
bool fold_addresses(VirtualKernel& kernel);

}  // namespace lookahead::finaliser
