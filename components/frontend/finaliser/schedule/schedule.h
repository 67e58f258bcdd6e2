#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Registers that the scheduler may fill, and the least it should: beyond what the program's own order needs it goes
/// only up to `preferred_registers`, so that hoisting loads does not cost occupancy without end.
struct ScheduleLimits {
    unsigned registers = 63;
    unsigned predicates = 7;
    unsigned preferred_registers = 63;
};

/// Orders the instructions of each block by a list scheduler: the longest way to the block's end first, which brings
/// loads early, as long as the registers suffice; beyond that, what adds least to those that live. A stretch that comes
/// out beyond the limits and worse than its old order keeps its old order.
void schedule(VirtualKernel& kernel, const ScheduleLimits& limits);

/// Orders the instructions of each block so that few rows live at once, if the old order does not do better.
void order_for_pressure(VirtualKernel& kernel);

}  // namespace lookahead::finaliser
