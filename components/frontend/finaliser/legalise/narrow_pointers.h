#pragma once

#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// `isa.pointers = 32`: addresses are one register, their low word. Each access states the high word
/// (isa::Instruction::address_window), which must be known: that of a variable or of a window if the address comes from
/// one, else that of global memory. Sums and products whose high words only addresses needed become 32-bit ones.
/// Parameters used as addresses go into the kernel's `pointer_parameters`, to be checked at launch.
///
/// Throws InputError, with file and line, if a high word is not known: if an address may come from variables of the
/// module or from elsewhere, or from memory that may hold addresses of variables, or of shared or local memory.
/// `has_variables`: the module has variables in global memory.
void narrow_pointers(VirtualKernel& kernel, bool has_variables);

}  // namespace lookahead::finaliser
