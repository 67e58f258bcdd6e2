#pragma once

#include <span>
#include <utility>

#include "components/frontend/finaliser/lower/lowering_context.h"

namespace lookahead::finaliser {

using ptx::Opcode;
using ptx::StateSpace;

/// Instruction selection of a whole kernel. Throws InputError for PTX that the machine ISA cannot express. `keep_cvta`:
/// cvta of a global address remains an instruction.
VirtualKernel lower(const ptx::Module& module, const ptx::Function& function, bool keep_cvta = false);

/// The function that lowers the instructions of an opcode.
using Lowering = std::pair<Opcode, void (*)(LoweringContext&)>;

/// `kLower` with these arguments, for a table of Lowerings.
template <auto kLower, auto... kArguments>
void with(LoweringContext& context) {
    kLower(context, kArguments...);
}

/// The groups of instructions, each in the file of its name.
extern const std::span<const Lowering> kArithmeticLowerings, kBitLowerings, kComparisonLowerings, kMoveLowerings,
    kMemoryLowerings, kTextureLowerings, kSurfaceLowerings, kWarpLowerings;

}  // namespace lookahead::finaliser
