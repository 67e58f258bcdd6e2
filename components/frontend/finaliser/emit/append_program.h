#pragma once

#include <string>

#include "components/isa/kernel.h"

namespace lookahead::finaliser {

/// Appends a finished program to a kernel's code (isa::Program): its branch targets and reconvergence points move with
/// it, its literals follow the kernel's. The kernel then has the program's local memory; the program's spilled values
/// follow the kernel's.
void append_program(isa::Kernel& kernel, const std::string& name, const isa::Kernel& program);

}  // namespace lookahead::finaliser
