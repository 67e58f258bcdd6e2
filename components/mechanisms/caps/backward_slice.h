#pragma once

#include <vector>

#include "components/isa/kernel.h"

namespace lookahead::gpu {

/// Whether each instruction, by PC, is a weak load from global memory whose address depends on thread ids, block ids
/// and constants alone, on every path through the kernel (Koo et al., section V.B, "Handling indirect accesses"). These
/// sources exclude a load, also through predicates and through the joins of branches: loads from global, shared or
/// local memory, atomics, shuffles, votes, and registers that depend on the machine or on time (warp slot, SM, clocks).
std::vector<bool> direct_loads(const isa::Kernel& kernel);

}  // namespace lookahead::gpu
