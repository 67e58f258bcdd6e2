#pragma once

#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Makes one instruction of a product and the addition that alone reads it, where both are integers: mad.lo and
/// mad.wide. A shift to the left by a number is a product too. Exact, since both wrap. Where a 64-bit sum would be two
/// instructions, a 64-bit product is made again in each sum that reads it.
void fuse_products(VirtualKernel& kernel, const IsaOptions& isa);

}  // namespace lookahead::finaliser
