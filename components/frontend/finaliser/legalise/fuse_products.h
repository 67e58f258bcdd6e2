#pragma once

#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Fuses an integer product and the addition that is its only reader into one instruction: mad.lo and mad.wide. A shift
/// to the left by a constant is a product too. Exact, because both wrap. If a 64-bit sum would be two instructions, a
/// 64-bit product is recomputed in each sum that reads it.
void fuse_products(VirtualKernel& kernel, const IsaOptions& isa);

}  // namespace lookahead::finaliser
