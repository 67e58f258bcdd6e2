#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// A range of register limits, from `least` to `most`, with the same result.
struct RegisterBounds {
    unsigned least = 0;
    unsigned most = std::numeric_limits<unsigned>::max();

    bool contain(unsigned registers) const { return least <= registers && registers <= most; }
    void narrow_to(const RegisterBounds& other) {
        least = std::max(least, other.least);
        most = std::min(most, other.most);
    }
};

/// A further program of a kernel: other code for the same launch, which a separate stream executes (isa::Program).
struct VirtualProgram {
    std::string name;
    /// The code. Its frame begins as a copy of the kernel's, so that both have the parameters at the same place.
    VirtualKernel code;
    /// Whether a register holds a 32-bit word of each lane. Otherwise registers hold values of another kind, of any
    /// width: operations on 64 bits and constants of 64 bits stay whole, the limit on a thread's registers does not
    /// apply, and nothing is spilled.
    bool has_lanes = true;
};

/// A transform's findings about a kernel's code, which do not depend on the limit of registers.
struct Findings {
    virtual ~Findings() = default;
};

/// The input of the passes: a kernel, and the further programs that transforms have made.
struct KernelUnderWork {
    VirtualKernel main;
    std::vector<VirtualProgram> programs;
    /// The limits with which the passes give the same result.
    RegisterBounds same_for;
    /// The transform's findings of the passes' previous run on this kernel, with another limit; null in the first run.
    std::shared_ptr<Findings> findings;
};

}  // namespace lookahead::finaliser
