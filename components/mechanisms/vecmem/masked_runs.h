#pragma once

#include <cstdint>
#include <span>

#include "components/mechanisms/vecmem/kernel_terms.h"

namespace lookahead::vecmem {

/// Whether the instruction's only effect is to write its destinations from its sources: it may run in more lanes, or be
/// left out, if the results are not read.
bool only_computes(const VirtualInstruction& instruction);

/// The fewest instructions in a row under one mask that become a block, which a warp without lanes for it skips.
inline constexpr std::uint32_t kLeastSkipped = 2;

/// Undoes if-conversion in the packed `blocks` (ascending): masks computations that only masked code reads, and
/// branches around runs of masked code. Later blocks move.
void skip_masked_runs(VirtualKernel& kernel, std::span<const std::uint32_t> blocks);

}  // namespace lookahead::vecmem
