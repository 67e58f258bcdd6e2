#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Real registers for virtual ones, and their number.
struct Allocation {
    std::vector<std::uint32_t> register_of;   ///< by virtual row
    std::vector<std::uint32_t> predicate_of;  ///< by virtual predicate
    std::uint32_t registers = 0;
    std::uint32_t predicates = 0;
};

/// A preference: for `instructions` instructions after a memory access its source registers get no new value, if
/// `registers` registers suffice.
struct HeldSources {
    unsigned instructions = 0;
    unsigned registers = 0;
};

/// Linear scan over live ranges with holes (after Traub, Holloway, Smith, "Quality and Speed in Linear-scan Register
/// Allocation", PLDI 1998). Groups of more than four rows get registers before the others; otherwise the order is that
/// in which groups begin to live. Each gets the lowest registers that are free throughout its life, preferably
/// registers that are not held. The caller checks the limit.
Allocation allocate(const VirtualKernel& kernel, const HeldSources& held = {});

}  // namespace lookahead::finaliser
