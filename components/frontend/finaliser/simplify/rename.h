#pragma once

#include <cstdint>
#include <span>

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Gives values that begin and end inside one block rows and predicates of their own where the program uses a
/// register for several values, so that the scheduler is not held by reuse.
void rename_local_values(VirtualKernel& kernel);
/// In these blocks only.
void rename_values_of_blocks(VirtualKernel& kernel, std::span<const std::uint32_t> blocks);

}  // namespace lookahead::finaliser
