#pragma once

#include <string_view>

#include "components/frontend/native/cubin.h"
#include "components/isa/kernel.h"

namespace lookahead::native {

/// The kernels on the machine ISA, one instruction for each of the cubin's, but for operands in constant bank 3, which
/// are loaded first, and the rare PLOP3 of two results. A kernel with an instruction that the machine ISA does not have
/// gets Kernel::refusal: a sentence with the file, the kernel, the instruction's address, text and bits.
/// `own_barriers`: lanes reconverge where the code's barriers say (BSSY, BSYNC, BREAK); otherwise at branches'
/// immediate post-dominators, as a reconvergence stack needs it.
isa::KernelTable lower(const Cubin& cubin, std::string_view file, bool own_barriers);

}  // namespace lookahead::native
