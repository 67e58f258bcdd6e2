#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "components/frontend/finaliser/code/bit_set.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"
#include "components/frontend/ptx/graph.h"

namespace lookahead::finaliser {

/// The control-flow graph of the kernel; node i is block i.
ptx::Graph flow_of(const VirtualKernel& kernel);

/// Empties blocks that control cannot reach.
void drop_unreachable_code(VirtualKernel& kernel);

/// A natural loop: the blocks of all edges back to one header, edges whose start the header dominates.
struct Loop {
    std::uint32_t header = 0;
    BitSet blocks;
};

/// The loops with these headers, in this order; headers of no loop are left out.
std::vector<Loop> natural_loops(const ptx::Graph& graph, const ptx::DominatorTree& dominators,
                                std::span<const std::uint32_t> headers);

/// The number of natural loops around each block.
std::vector<std::uint32_t> loop_depths(const ptx::Graph& graph, const ptx::DominatorTree& dominators);

}  // namespace lookahead::finaliser
