#pragma once

#include "components/frontend/ptx/module.h"
#include "components/isa/kernel.h"

namespace lookahead::finaliser {

/// Throws InputError for the first instruction that the machine cannot execute, so that a kernel is refused when it is
/// loaded, never in the middle of a run.
void check_executable(const ptx::Function& function, const isa::Kernel& kernel);

}  // namespace lookahead::finaliser
