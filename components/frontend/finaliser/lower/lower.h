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

/// Lowers the context's current instruction if its opcode is in the table; returns whether it is.
bool lower_by(std::span<const Lowering> table, LoweringContext& context);

// Each lowers the context's current instruction if it belongs to its group; returns whether it does.
bool lower_arithmetic(LoweringContext& context);
bool lower_bits(LoweringContext& context);
bool lower_comparison(LoweringContext& context);
bool lower_move(LoweringContext& context);
bool lower_memory(LoweringContext& context);
bool lower_texture(LoweringContext& context);
bool lower_surface(LoweringContext& context);
bool lower_warp(LoweringContext& context);

}  // namespace lookahead::finaliser
