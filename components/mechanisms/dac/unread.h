#pragma once

#include <vector>

#include "components/mechanisms/dac/kernel_terms.h"

namespace lookahead::dac {

/// By block and instruction: whether anything that must stay needs it, directly or through others. Unlike liveness it
/// finds what only feeds itself from one turn of a loop to the next, as the address that a decoupled access had.
std::vector<std::vector<bool>> needed_instructions(const finaliser::VirtualKernel& kernel, const finaliser::Flow& flow);

/// Removes the others.
void remove_unread(finaliser::VirtualKernel& kernel);

}  // namespace lookahead::dac
