#pragma once

#include "components/isa/kernel.h"
#include "components/protocols/launch.h"

namespace lookahead {

/// Checks what CUDA checks at a launch: dimensions within the limits of compute capability 2.x and later, the block
/// within the kernel's .maxntid, the parameters' size. Throws ProgramError.
void check_launch(const isa::Kernel& kernel, const gpu::LaunchFields& launch);

}  // namespace lookahead
