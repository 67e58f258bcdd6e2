#pragma once

#include "components/frontend/ptx/module.h"

namespace lookahead::finaliser {

/// The kernel with the bodies of the functions that it calls in place of the calls, and with chains of comparisons in
/// place of brx.idx. A callee's parameters become the .param variables that the call names. The bodies of recursive
/// functions appear once, after the kernel's, and keep their values on a stack in local memory. Throws InputError for
/// functions without a body.
ptx::Function inline_calls(const ptx::Module& module, const ptx::Function& kernel);

/// Whether the kernel takes the address of one of its parameters, as nvcc does for a structure that is indexed at run
/// time, or a function that it called took the address of one of its own.
bool takes_parameter_addresses(const ptx::Function& kernel);

/// A kernel without calls, and the places of its parameters whose addresses are taken.
struct PlacedParameters {
    ptx::Function function;
    bool in_memory = false;  ///< it reads the launch's parameters in memory (isa::Kernel::addresses_parameters)
};

/// The machine ISA reads parameters at fixed places. A load from a known place becomes a load by name, a load from a
/// computed place a load of constant memory. If the kernel writes at such an address or gives it away, or has 32-bit
/// addresses (`address_type`), each parameter whose address is taken becomes a copy in local memory instead. A called
/// function's parameter whose address is taken is itself in local memory (PTX ISA, "mov").
PlacedParameters place_addressed_parameters(const ptx::Function& kernel, ptx::Type address_type);

}  // namespace lookahead::finaliser
