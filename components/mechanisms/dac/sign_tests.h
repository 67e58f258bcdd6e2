#pragma once

#include "components/frontend/finaliser/analysis/control_flow.h"

namespace lookahead::dac {

/// nvcc tests two coordinates at once whether they are in front of their array's first: (a | b) < 0. No affine
/// operation makes the union; where both are affine, it becomes (a < 0) or (b < 0), which takes as many instructions,
/// and both can be decoupled. Likewise (a & b) < 0, and where the result is asked to be at least 0; and (a | b) == 0 or
/// != 0, which asks whether both are the first of their rows. `reports`: see Classes.
void split_sign_tests(finaliser::VirtualKernel& kernel, bool reports);

}  // namespace lookahead::dac
