#pragma once

#include "components/frontend/ptx/module.h"

namespace lookahead::finaliser {

/// Whether the kernel takes the address of one of its parameters, as nvcc does for a structure that is indexed at run
/// time.
bool takes_parameter_addresses(const ptx::Function& kernel);

/// The machine ISA reads parameters at fixed places only: each parameter whose address is taken gets a copy in local
/// memory, made when the thread begins, and its address is that of the copy.
ptx::Function copy_addressed_parameters(const ptx::Function& kernel);

}  // namespace lookahead::finaliser
