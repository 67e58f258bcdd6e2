#pragma once

#include "components/isa/kernel.h"

namespace lookahead::gpu {

/// Throws ConfigurationError, naming kernel and line, for an instruction that only the functional emulator executes:
/// strided and indirect vector memory instructions, for which the load/store unit has no address generator yet.
void require_executable(const isa::Kernel& kernel);

}  // namespace lookahead::gpu
