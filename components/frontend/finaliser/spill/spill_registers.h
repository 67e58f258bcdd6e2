#pragma once

#include <cstdint>

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::isa {
struct Kernel;
}

namespace lookahead::finaliser {

/// How to treat values that do not fit (FinaliserOptions).
struct SpillRules {
    bool rematerialise = true;
    bool affine_first = false;
};

/// Keeps values in local memory, after the kernel's own variables, until the kernel can be allocated with `limit`
/// registers. A value is stored where it is written and loaded where it is read, once for neighbouring reads with
/// registers between them; a value that a few instructions can recompute from available values is recomputed instead.
/// False if an instruction needs more registers than there are.
bool spill_registers(VirtualKernel& kernel, unsigned limit, SpillRules rules = {});

/// Gives spilled values that never live together the same bytes of local memory.
void share_spill_slots(VirtualKernel& kernel);

/// Instructions that move spilled values.
struct SpillInstructions {
    std::uint32_t loads = 0;
    std::uint32_t stores = 0;
    std::uint32_t total() const { return loads + stores; }
};
SpillInstructions spill_instructions(const isa::Kernel& kernel);
SpillInstructions spill_instructions(const VirtualKernel& kernel);

}  // namespace lookahead::finaliser
