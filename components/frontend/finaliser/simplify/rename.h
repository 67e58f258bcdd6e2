#pragma once

#include <cstdint>
#include <span>

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Gives values that begin and end inside one block separate rows and predicates if the program uses a register for
/// several values, so that reuse does not restrict the scheduler.
void rename_local_values(VirtualKernel& kernel);
/// The same in these blocks only.
void rename_values_of_blocks(VirtualKernel& kernel, std::span<const std::uint32_t> blocks);

}  // namespace lookahead::finaliser
