#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/ptx/function.h"
#include "components/frontend/ptx/graph.h"

namespace lookahead::ptx {

/// Instructions [first, end) of a function that are entered at the first only and left at the last only.
struct BasicBlock {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
};

/// Control-flow graph of a function. Node i of `graph` is blocks[i], in the order of their instructions; block 0 is the
/// entry. Leaving the function (ret, exit, trap, running off the end) is not an edge; see Graph::exits.
struct Cfg {
    std::vector<BasicBlock> blocks;
    Graph graph;
    std::vector<std::uint32_t> block_of;  ///< instruction -> block
};

Cfg build_cfg(const Function& function);

}  // namespace lookahead::ptx
