#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Real registers for virtual ones, and how many there are in all.
struct Allocation {
    std::vector<std::uint32_t> register_of;   ///< by virtual row
    std::vector<std::uint32_t> predicate_of;  ///< by virtual predicate
    std::uint32_t registers = 0;
    std::uint32_t predicates = 0;
};

/// A preference: for so many instructions after a memory access its source registers hold nothing new, as long as so many
/// registers suffice.
struct HeldSources {
    unsigned instructions = 0;
    unsigned registers = 0;
};

/// Linear scan over live ranges with holes (after Traub, Holloway, Smith, "Quality and Speed in Linear-scan
/// Register Allocation", PLDI 1998): groups of rows in the order in which they begin to live, each to the lowest
/// registers that are free wherever it lives, and not held if there are; groups of more than four rows before all others.
/// Knows no limit: the caller compares.
Allocation allocate(const VirtualKernel& kernel, const HeldSources& held = {});

}  // namespace lookahead::finaliser
