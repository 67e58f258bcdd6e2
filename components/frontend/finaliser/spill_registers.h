#pragma once

#include <cstdint>

#include "components/frontend/finaliser/virtual_kernel.h"

namespace lookahead::finaliser {

/// Keeps values in local memory, behind the kernel's own variables, until the kernel can be allocated with `limit`
/// registers. A value is stored where it is written and loaded where it is read; one that can be made again from
/// constants is made again instead. False if an instruction needs more registers than there are.
bool spill_registers(VirtualKernel& kernel, unsigned limit);

/// Instructions that move spilled values.
struct SpillInstructions {
    std::uint32_t loads = 0;
    std::uint32_t stores = 0;
    std::uint32_t total() const { return loads + stores; }
};
SpillInstructions spill_instructions(const isa::Kernel& kernel);
SpillInstructions spill_instructions(const VirtualKernel& kernel);

}  // namespace lookahead::finaliser
