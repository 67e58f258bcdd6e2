#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "components/mechanisms/vecmem/kernel_terms.h"

namespace lookahead::vecmem {

/// A block's instruction as the order has to respect it: with what it will read and write.
struct OrderNode {
    VirtualInstruction view;
    std::uint64_t place = 0;                 ///< in the program; ascending over the nodes
    std::uint32_t group = finaliser::kNone;  ///< which become one
    std::uint64_t wanted = 0;                ///< where it goes if nothing keeps it from there
};

/// What becomes one instruction.
struct OrderGroup {
    bool loads = true;
};

enum class OrderFault : std::uint8_t { none, memory, data };

/// An order of a block's nodes in which each group is in one place; `sequence` has nodes' numbers, of a group that of
/// its first node only.
struct BlockOrder {
    OrderFault fault = OrderFault::none;  ///< there is no such order, for what stands in memory or in registers
    std::vector<std::uint32_t> sequence;
};

/// Whether no access may be moved to the other side: barriers, fences, ordered accesses, and what holds everything.
bool parts_accesses(const VirtualInstruction& instruction);

/// Pairs of nodes of which the second must come behind the first.
using OrderPairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// `memory`: accesses that may be to one place, in the program's order; `needs`: what gives the other's group a value.
BlockOrder order_block(const VirtualKernel& kernel, const std::vector<OrderNode>& nodes,
                       const std::vector<OrderGroup>& groups, const OrderPairs& memory, const OrderPairs& needs);

}  // namespace lookahead::vecmem
