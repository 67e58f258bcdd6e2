#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Keeps predicates in rows if more than `limit` live at once: the longest-lived first, one after another. A select of
/// 1 or 0 follows each write, and a comparison of the row with 0 precedes each read.
void spill_predicates(VirtualKernel& kernel, unsigned limit);

}  // namespace lookahead::finaliser
