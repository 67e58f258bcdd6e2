#pragma once

#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Puts into registers the constants that NVIDIA's machine ISAs cannot take as operands: addresses (except numbers,
/// which are an offset from zero), data of stores and atomics, shuffled values, and all but one of an instruction's
/// constants. Zero is a register there (RZ) and costs nothing. A constant that several instructions need is put into a
/// register once, before their loops.
void legalise_operands(VirtualKernel& kernel, const IsaOptions& options);

}  // namespace lookahead::finaliser
