#pragma once

#include "components/frontend/finaliser/analysis/control_flow.h"

namespace lookahead::dac {

/// Splits nvcc's tests of two coordinates at once. (a | b) < 0 asks whether one is below 0; no affine operation makes
/// the union. If both are affine, it becomes (a < 0) or (b < 0), which takes as many instructions and can be decoupled.
/// The same holds for (a & b) < 0, for >= 0, and for (a | b) == 0 or != 0. `reports`: see Classes.
void split_sign_tests(finaliser::VirtualKernel& kernel, bool reports);

}  // namespace lookahead::dac
