#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Keeps predicates in rows where more than `limit` live at once: the longest-lived first, one after another. Each
/// write is followed by a select of 1 or 0, each read comes after a comparison of the row with 0.
void spill_predicates(VirtualKernel& kernel, unsigned limit);

}  // namespace lookahead::finaliser
