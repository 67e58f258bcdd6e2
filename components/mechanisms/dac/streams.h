#pragma once

#include "components/frontend/finaliser/analysis/control_flow.h"
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

/// Splits nvcc's tests of two coordinates at once. (a | b) < 0 asks whether one is below 0; no affine operation makes
/// the union. If both are affine, it becomes (a < 0) or (b < 0), which takes as many instructions and can be decoupled.
/// The same holds for (a & b) < 0, for >= 0, and for (a | b) == 0 or != 0. `reports`: see Classes.
void split_sign_tests(finaliser::VirtualKernel& kernel, bool reports);

}  // namespace lookahead::dac
