#pragma once

#include <string>

#include "components/isa/kernel.h"

namespace lookahead::finaliser {

/// Puts a finished program behind a kernel's code (isa::Program): its branch targets and reconvergence points move with
/// it, its literals go behind the kernel's. Of local memory the kernel then has what the program has, whose spilled
/// values lie behind the kernel's.
void append_program(isa::Kernel& kernel, const std::string& name, const isa::Kernel& program);

}  // namespace lookahead::finaliser
