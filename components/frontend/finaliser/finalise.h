#pragma once

#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/finaliser/passes/fit.h"
#include "components/frontend/ptx/module.h"
#include "components/isa/kernel.h"
#include "core/error/error.h"

namespace lookahead::finaliser {

/// A kernel needs more registers or predicates than the configuration allows, with all other values in memory.
class RegisterLimitError : public ConfigurationError {
  public:
    using ConfigurationError::ConfigurationError;
};

/// Compiles one kernel to the machine ISA: instruction selection, copy propagation, scheduling, allocation of real
/// registers, resolved branches with their reconvergence points. The result passes `verify`. Throws InputError with
/// file, line and instruction for PTX that the machine ISA cannot express, and RegisterLimitError if the kernel needs
/// more registers than the options allow.
isa::Kernel finalise(const ptx::Module& module, const ptx::Function& kernel, const FinaliserOptions& options);

/// The same, for a kernel that is finalised with several limits of registers and otherwise the same options: `prepared`
/// keeps the results that the limits share.
isa::Kernel finalise(const ptx::Module& module, const ptx::Function& kernel, const FinaliserOptions& options,
                     PreparedKernels& prepared);

/// Compiles all kernels of a module, in the order of the file, and lays out its variables. Throws as finalise() does;
/// with Refusal::of_kernel a kernel with an InputError is refused when it is launched.
isa::KernelTable finalise_module(const ptx::Module& module, const FinaliserOptions& options);

}  // namespace lookahead::finaliser
