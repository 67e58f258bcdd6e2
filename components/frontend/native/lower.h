#pragma once

#include <string_view>

#include "components/frontend/native/cubin.h"
#include "components/isa/kernel.h"

namespace lookahead::native {

/// The kernels on the machine ISA, one instruction for each of the cubin's, but for operands in constant bank 3, which
/// are loaded first, and the rare PLOP3 of two results. A kernel with an instruction that the machine ISA does not have
/// gets Kernel::refusal: a sentence with the file, the kernel, the instruction's address, text and bits.
isa::KernelTable lower(const Cubin& cubin, std::string_view file);

}  // namespace lookahead::native
