#pragma once

#include <string>

#include "components/isa/kernel.h"

namespace lookahead::finaliser {

/// Appends a finished program to a kernel's code (isa::Program): moves its branch targets and reconvergence points, and
/// places its literals and spilled values after the kernel's. The kernel gets the program's local memory, too.
void append_program(isa::Kernel& kernel, const std::string& name, const isa::Kernel& program);

}  // namespace lookahead::finaliser
