#pragma once

#include <cstdint>
#include <span>

#include "components/mechanisms/vecmem/kernel_terms.h"

namespace lookahead::vecmem {

/// Whether all that the instruction does is to write its destinations, from its sources: it may be done in lanes, or
/// left out, where nobody reads them.
bool only_computes(const VirtualInstruction& instruction);

/// So many instructions in a row under one mask become a block, which a warp that has no lane for them goes around.
inline constexpr std::uint32_t kLeastSkipped = 2;

/// Undoes if-conversion in blocks that have been packed: what only masked code needs is masked, too, and where masked
/// code stands together, a branch goes around it. Blocks behind them move. `blocks`: in ascending order.
void skip_masked_runs(VirtualKernel& kernel, std::span<const std::uint32_t> blocks);

}  // namespace lookahead::vecmem
