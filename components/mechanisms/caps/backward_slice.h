#pragma once

#include <cstdint>
#include <vector>

#include "components/isa/kernel.h"

namespace lookahead::gpu {

/// By PC: the instruction is a weak load from global memory whose address comes from thread ids, block ids and
/// constants alone, whatever way the kernel takes to it (Koo et al., section V.B, "Handling indirect accesses").
/// Results of loads from global, shared or local memory, of atomics, shuffles, votes and of registers that tell of the
/// machine or of time (warp slot, SM, clocks) exclude a load, through predicates and through branches' joins too.
std::vector<bool> direct_loads(const isa::Kernel& kernel);

}  // namespace lookahead::gpu
