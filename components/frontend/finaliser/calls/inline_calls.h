#pragma once

#include "components/frontend/ptx/module.h"

namespace lookahead::finaliser {

/// The kernel with the bodies of the functions that it calls in place of the calls, and with chains of comparisons in
/// place of brx.idx. A callee's parameters become the .param variables that the call names. The bodies of recursive
/// functions appear once, after the kernel's, and keep their values on a stack in local memory. Throws InputError for
/// functions without a body.
ptx::Function inline_calls(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace lookahead::finaliser
