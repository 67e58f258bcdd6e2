#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "components/isa/instruction.h"
#include "experiments/profile/reaching_definitions.h"

namespace lookahead::profile {

/// By instruction: for a memory access in an innermost loop, the loads and texture fetches of that loop whose results its
/// address is computed from without another load in between, ascending. `loop_of` is an instruction's innermost loop.
/// Atomics hand on what other threads decide, no list of indices, and count as no load here.
std::vector<std::vector<std::uint32_t>> address_loads(std::span<const isa::Instruction> code,
                                                      std::span<const std::uint32_t> loop_of,
                                                      const ReachingDefinitions& definitions);

enum class Indirection : std::uint8_t { none, regular, irregular };

/// By access: `loads` is what address_loads gives. A load whose own address stays where it is during a loop (`moves` is
/// false) hands on a constant and makes nothing indirect. What is computed from a load that is itself computed from its
/// own result, an iteration earlier ("pointer chasing", Crago et al., section 4.1), is irregular, and so is that load.
std::vector<Indirection> indirections(std::span<const std::vector<std::uint32_t>> loads,
                                      const std::vector<bool>& moves);

}  // namespace lookahead::profile
