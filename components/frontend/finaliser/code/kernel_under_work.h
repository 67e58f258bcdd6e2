#pragma once

#include <memory>
#include <string>
#include <vector>

#include "components/frontend/finaliser/code/register_bounds.h"
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

/// What a transform found out of a kernel's code, whatever the limit of registers is.
struct Findings {
    virtual ~Findings() = default;
};

/// What the passes work on: a kernel, and the programs that transforms have made beside it.
struct KernelUnderWork {
    VirtualKernel main;
    std::vector<VirtualProgram> programs;
    /// With any of these limits the passes make the same of it.
    RegisterBounds same_for;
    /// Of a kernel that the passes take more than once, with other limits: what the transform left there the last time.
    std::shared_ptr<Findings> findings;
};

}  // namespace lookahead::finaliser
