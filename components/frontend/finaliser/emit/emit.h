#pragma once

#include "components/frontend/finaliser/allocate/allocate.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"
#include "components/isa/kernel.h"

namespace lookahead::finaliser {

/// The final kernel: blocks laid out one after another, registers and branch targets filled in, copies of a register
/// to itself and branches to the next instruction left out, reconvergence points set, unused literals dropped. An
/// instruction's annotations move to its new place, the latest first.
isa::Kernel emit(const VirtualKernel& kernel, const Allocation& allocation);

}  // namespace lookahead::finaliser
