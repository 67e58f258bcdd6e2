#pragma once

#include <cstdint>
#include <string>

#include "components/isa/kernel.h"

namespace lookahead::finaliser {

/// The kernel's code as text that reads like NVIDIA's SASS: program counter, guard, operation, operands.
std::string print(const isa::Kernel& kernel);

/// One instruction, without its program counter.
std::string print(const isa::Kernel& kernel, std::uint32_t index);

}  // namespace lookahead::finaliser
