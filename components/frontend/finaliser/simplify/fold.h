#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Replaces integer operations of 32 and 64 bits without effect (x + 0, x * 1, x << 0, ...) by copies, and operations
/// on two literals by their result. Exact for all inputs. Returns whether anything changed.
bool fold_constants(VirtualKernel& kernel);

}  // namespace lookahead::finaliser
