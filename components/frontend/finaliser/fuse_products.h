#pragma once

#include "components/frontend/finaliser/virtual_kernel.h"

namespace lookahead::finaliser {

/// Makes one instruction of a product and the addition that alone reads it, where both are integers: mad.lo and
/// mad.wide. A shift to the left by a number is a product too. Exact, since both wrap.
void fuse_products(VirtualKernel& kernel);

}  // namespace lookahead::finaliser
