#pragma once

#include <vector>

#include "components/frontend/finaliser/bit_set.h"
#include "components/frontend/finaliser/virtual_kernel.h"

namespace lookahead::finaliser {

/// Units (rows and predicates) whose value may still be read, at the bounds of each block. A guarded write does not
/// end the life of the value before it: lanes whose guard fails keep that.
struct Liveness {
    std::vector<BitSet> in;   ///< by block
    std::vector<BitSet> out;  ///< by block
};

Liveness liveness_of(const VirtualKernel& kernel);

/// Takes `live`, the units live after `instruction`, to those live before it.
void step_back(const VirtualKernel& kernel, const VirtualInstruction& instruction, BitSet& live);

}  // namespace lookahead::finaliser
