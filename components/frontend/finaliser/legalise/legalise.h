#pragma once

#include "components/frontend/finaliser/code/options.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// `isa.pointers = 32`: addresses are one register, their low word. Each access states the high word
/// (isa::Instruction::address_window), which must be known: that of a variable or of a window if the address comes from
/// one, else that of global memory. Sums and products whose high words are needed only for addresses become 32-bit
/// ones. Parameters used as addresses go into the kernel's `pointer_parameters`, to be checked at launch.
///
/// Throws InputError, with file and line, if a high word is not known: if an address may come from variables of the
/// module or from elsewhere, or from memory that may hold addresses of variables, or of shared or local memory.
/// `has_variables`: addresses of the module's variables may be in memory.
void narrow_pointers(VirtualKernel& kernel, bool has_variables);

/// Fuses an integer product and the addition that is its only reader into one instruction: mad.lo and mad.wide. A shift
/// to the left by a constant is a product too. Exact, because both wrap. If a 64-bit sum would be two instructions, a
/// 64-bit product is recomputed in each sum that reads it.
void fuse_products(VirtualKernel& kernel, const IsaOptions& isa);

/// Replaces 64-bit integer instructions by 32-bit ones, for machines with 32-bit integer units: sums by two with a
/// carry between them, comparisons by two, shifts by a funnel shift and a plain one. These stay whole: loads, stores
/// and atomics, f64, conversions to and from floats, div, rem, bfe, bfi, bfind, mad.hi and match, which represent
/// NVIDIA's long sequences or are single instructions there, and products of 32-bit factors if `options.wide_multiply`.
void expand_wide_operations(VirtualKernel& kernel, const IsaOptions& options);

/// Splits rows of a group that no instruction uses together any more into separate groups.
void split_groups(VirtualKernel& kernel);

/// Puts into registers the constants that NVIDIA's machine ISAs cannot take as operands: addresses (except numbers,
/// which are an offset from zero), data of stores and atomics, shuffled values, and all but one of an instruction's
/// constants. Zero is a register there (RZ) and costs nothing. A constant that several instructions need is put into a
/// register once, before their loops.
void legalise_operands(VirtualKernel& kernel, const IsaOptions& options);

}  // namespace lookahead::finaliser
