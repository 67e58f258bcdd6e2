#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Registers that the scheduler may use, and those it should prefer: beyond the need of the program's own order it uses
/// only up to `preferred_registers`, so that hoisting loads does not reduce occupancy without bound.
struct ScheduleLimits {
    unsigned registers = 63;
    unsigned predicates = 7;
    unsigned preferred_registers = 63;
};

/// Orders the instructions of each block by a list scheduler: the longest path to the block's end first, which brings
/// loads early, as long as the registers suffice; beyond that, the instruction that adds least to the live values. A
/// stretch that exceeds the limits and is worse than its old order keeps the old order.
void schedule(VirtualKernel& kernel, const ScheduleLimits& limits);

/// Orders the instructions of each block so that few rows live at once, if the old order does not do better.
void order_for_pressure(VirtualKernel& kernel);

}  // namespace lookahead::finaliser
