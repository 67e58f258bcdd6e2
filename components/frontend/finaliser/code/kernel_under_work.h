#pragma once

#include <string>
#include <vector>

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// A further program of a kernel: other code for the same launch, which a stream of its own executes (isa::Program).
struct VirtualProgram {
    std::string name;
    /// Its frame begins as a copy of the kernel's, so that both have the parameters at the same place.
    VirtualKernel code;
    /// What stands in a register is a 32-bit word of each lane. Otherwise the machine has values of another kind there, of
    /// any width: operations on 64 bits stay whole, constants of 64 bits too; a limit on a thread's registers is none of
    /// theirs, and nothing is spilled.
    bool has_lanes = true;
};

/// What the passes work on: a kernel, and the programs that transforms have made beside it.
struct KernelUnderWork {
    VirtualKernel main;
    std::vector<VirtualProgram> programs;
};

}  // namespace lookahead::finaliser
