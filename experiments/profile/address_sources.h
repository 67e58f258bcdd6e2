#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/profile/reaching_definitions.h"

namespace lookahead::profile {

/// By instruction: for a memory access in an innermost loop, the loads and texture fetches of that loop from whose
/// results its address is computed without another load in between, ascending. `loop_of`: an instruction's innermost
/// loop. Atomics return values that other threads determine, not a list of indices, and do not count as loads here.
std::vector<std::vector<std::uint32_t>> address_loads(std::span<const isa::Instruction> code,
                                                      std::span<const std::uint32_t> loop_of,
                                                      const ReachingDefinitions& definitions);

enum class Indirection : std::uint8_t { none, regular, irregular };

/// By access: `loads` is the result of address_loads. A load whose own address does not move during a loop (`moves` is
/// false) returns a constant and makes no access indirect. An access computed from a load that is itself computed from
/// its own result of an earlier iteration ("pointer chasing", Crago et al., section 4.1) is irregular, and so is that
/// load.
std::vector<Indirection> indirections(std::span<const std::vector<std::uint32_t>> loads,
                                      const std::vector<bool>& moves);

}  // namespace lookahead::profile
