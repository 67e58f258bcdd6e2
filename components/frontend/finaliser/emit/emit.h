#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "components/frontend/finaliser/allocate/allocate.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"
#include "components/frontend/ptx/module.h"
#include "components/isa/kernel.h"

namespace lookahead::finaliser {

/// Makes the final kernel: blocks laid out one after another, registers and branch targets filled in, copies of a
/// register to itself and branches to the next instruction left out, reconvergence points set, unused literals dropped.
/// An instruction's annotations move to its new place, the latest first.
isa::Kernel emit(const VirtualKernel& kernel, const Allocation& allocation);

/// Appends a finished program to a kernel's code (isa::Program): moves its branch targets and reconvergence points, and
/// places its literals and spilled values after the kernel's. The kernel gets the program's local memory, too.
void append_program(isa::Kernel& kernel, const std::string& name, const isa::Kernel& program);

/// The numbers of rows of an instruction's operands.
struct OperandShape {
    std::uint8_t destination = 0;
    /// Bit n set: the source may have n rows (0: be absent).
    std::array<std::uint32_t, 4> source = {1, 1, 1, 1};
    bool writes_predicate = false;  ///< has no other result
};

OperandShape shape_of(const isa::Instruction& instruction);

/// Checks that a kernel is well formed: register, predicate and constant row numbers in range, wide operands aligned,
/// rows matching the types, branch targets in range, reconvergence points right, no path off the end of the
/// code. Throws InternalError that names kernel, instruction and rule.
void verify(const isa::Kernel& kernel);

/// Throws InputError for the first instruction that the machine cannot execute, so that a kernel is refused when it is
/// loaded, never in the middle of a run.
void check_executable(const ptx::Function& function, const isa::Kernel& kernel);

}  // namespace lookahead::finaliser
