#pragma once

#include "components/frontend/finaliser/code/kernel_under_work.h"
#include "components/mechanisms/dac/plan.h"

namespace lookahead::isa {
struct Kernel;
struct Program;
}  // namespace lookahead::isa

namespace lookahead::dac {

/// The name of the affine stream among a kernel's programs.
inline constexpr const char* kAffineStream = "affine";

/// The affine stream (section 4.7): an `enqueue` for each decoupled instruction, the instructions that compute its
/// operands, and the control flow and barriers around them. Registers hold tuples, so operations stay whole; where
/// lanes part, a register holds a tuple for each of the plan's conditions. Branches that affect none of this are left
/// out: the stream continues where all their paths meet.
finaliser::VirtualProgram affine_stream(const finaliser::VirtualKernel& kernel, const finaliser::Flow& flow,
                                        const Plan& plan);

/// The affine stream of a finished kernel; null if it has none.
const isa::Program* affine_program(const isa::Kernel& kernel);

/// Turns the kernel's own code into the non-affine stream: decoupled instructions dequeue, branches that the affine
/// stream cannot know report, and unused code is removed.
void take_from_queues(finaliser::VirtualKernel& kernel, const Plan& plan);

}  // namespace lookahead::dac
