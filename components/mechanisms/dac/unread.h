#pragma once

#include <vector>

#include "components/mechanisms/dac/kernel_terms.h"

namespace lookahead::dac {

/// By block and instruction: whether an instruction that must stay needs it, directly or through others. Unlike
/// liveness, this also finds code that feeds only itself from one round of a loop to the next, such as the old address
/// of a decoupled access.
std::vector<std::vector<bool>> needed_instructions(const finaliser::VirtualKernel& kernel, const finaliser::Flow& flow);

/// Removes the instructions that are not needed.
void remove_unread(finaliser::VirtualKernel& kernel);

}  // namespace lookahead::dac
