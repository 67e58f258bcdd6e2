#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/finaliser/code/virtual_kernel.h"
#include "components/frontend/ptx/graph.h"

namespace lookahead::finaliser {

ptx::Graph flow_of(const VirtualKernel& kernel);

/// Empties blocks that control cannot reach.
void drop_unreachable_code(VirtualKernel& kernel);

/// The number of natural loops around each block: those of edges that lead back to a block which dominates their start.
/// Loops with a common header count once.
std::vector<std::uint32_t> loop_depths(const ptx::Graph& graph, const ptx::DominatorTree& dominators);

}  // namespace lookahead::finaliser
