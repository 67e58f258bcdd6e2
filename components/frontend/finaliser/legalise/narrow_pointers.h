#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// `isa.pointers = 32`: addresses are one register, their low word. Each access says what the high word is
/// (isa::Instruction::address_window), which must be known: that of a variable or of a window where the address comes
/// from one, else that of global memory. Sums and products whose high words only addresses needed become 32-bit ones.
/// What the kernel takes as addresses from its parameters goes into its `pointer_parameters`, to be checked at launch.
///
/// Throws InputError, with file and line, where a high word is not known: where an address may come from variables of
/// the module or from elsewhere, and where addresses come from memory that may hold those of variables, or of shared or
/// local memory. `has_variables`: the module has variables in global memory.
void narrow_pointers(VirtualKernel& kernel, bool has_variables);

}  // namespace lookahead::finaliser
