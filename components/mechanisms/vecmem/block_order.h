#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "components/mechanisms/vecmem/kernel_terms.h"

namespace lookahead::vecmem {

/// An instruction of a block as the ordering sees it, with what it will read and write.
struct OrderNode {
    VirtualInstruction view;
    std::uint64_t place = 0;                 ///< in the program; ascending over the nodes
    std::uint32_t group = finaliser::kNone;  ///< nodes of a group become one instruction
    std::uint64_t wanted = 0;                ///< preferred place
};

/// Nodes that become one instruction.
struct OrderGroup {
    bool loads = true;
};

enum class OrderFault : std::uint8_t { none, memory, data };

/// An order of a block's nodes that keeps groups together. `sequence` has node numbers, a group's first one only.
struct BlockOrder {
    OrderFault fault = OrderFault::none;  ///< set if dependences through memory or registers allow no such order
    std::vector<std::uint32_t> sequence;
};

/// Whether accesses may not pass the instruction: barriers, fences, ordered accesses, instructions that lanes execute
/// together or that use a queue, or one that holds everything (finaliser::holds_everything).
bool parts_accesses(const VirtualInstruction& instruction);

/// Pairs of nodes whose second must follow the first.
using OrderPairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Orders a block. `memory`: pairs of accesses that may be to one place, in the program's order; `needs`: pairs of
/// groups whose first gives the second a value.
BlockOrder order_block(const VirtualKernel& kernel, const std::vector<OrderNode>& nodes,
                       const std::vector<OrderGroup>& groups, const OrderPairs& memory, const OrderPairs& needs);

}  // namespace lookahead::vecmem
