#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/ptx/graph.h"

namespace lookahead::profile {

inline constexpr std::uint32_t kNoLoop = UINT32_MAX;

/// By block: the first block (header) of the innermost loop around it that has no loop inside; kNoLoop for the others.
/// Loops are natural; those with a common header are one.
std::vector<std::uint32_t> innermost_loops(const ptx::Graph& graph);

}  // namespace lookahead::profile
