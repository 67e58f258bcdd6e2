#pragma once

#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Puts into registers the constants that NVIDIA's machine ISAs cannot take as operands: addresses (but for numbers,
/// which are an offset from zero), data of stores and atomics, shuffled values, and all but one of an instruction's
/// constants. Zero is a register there (RZ), and so is free. A constant that several instructions need is put into a
/// register once, before the loops that they are in.
void legalise_operands(VirtualKernel& kernel, const IsaOptions& options);

}  // namespace lookahead::finaliser
