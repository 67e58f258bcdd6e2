#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Makes readers of a copy read the original if it surely still holds the same value: inside a block, and over the
/// whole kernel for values that are written in one place. Constants become operands. The copies themselves stay;
/// remove_dead_code removes unread ones. Returns whether anything changed.
bool propagate_copies(VirtualKernel& kernel);

}  // namespace lookahead::finaliser
