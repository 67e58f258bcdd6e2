#pragma once

#include "components/isa/kernel.h"

namespace lookahead::finaliser {

/// Checks that a kernel is well formed: register, predicate and constant row numbers in range, wide operands aligned,
/// rows matching the types, branch targets in range, reconvergence points right, no path off the end of the
/// code. Throws InternalError that names kernel, instruction and rule.
void verify(const isa::Kernel& kernel);

}  // namespace lookahead::finaliser
