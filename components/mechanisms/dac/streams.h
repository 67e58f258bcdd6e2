#pragma once

#include "components/frontend/finaliser/code/kernel_under_work.h"
#include "components/mechanisms/dac/plan.h"

namespace lookahead::dac {

/// The name of the affine stream among a kernel's programs.
inline constexpr const char* kAffineStream = "affine";

/// The affine stream (section 4.7): the predecessors of what is decoupled, an `enqueue` where that stood, the control
/// flow and the barriers that these are under. Registers hold tuples, so that operations stay whole; where lanes part a
/// register holds a tuple for each of the plan's conditions. Control that affects nothing of it is left out: where a
/// branch was, it goes on where all ways from there meet.
finaliser::VirtualProgram affine_stream(const finaliser::VirtualKernel& kernel, const finaliser::Flow& flow,
                                        const Plan& plan);

/// The affine stream of a finished kernel; null if it has none.
const isa::Program* affine_program(const isa::Kernel& kernel);

/// Turns the kernel's own code into the non-affine stream: what is decoupled dequeues, branches that the affine stream
/// cannot know report, and what nobody needs any more goes.
void take_from_queues(finaliser::VirtualKernel& kernel, const Plan& plan);

}  // namespace lookahead::dac
