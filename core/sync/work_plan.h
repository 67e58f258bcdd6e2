#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lookahead {

/// Assigns items to the threads of a team. Every item has a home, one of the parts, in which it stays from window to
/// window, so that its state stays in the cache of one core. Homes are balanced by the items' costs, and each begins
/// with its costliest item, so that little work is left at the end of a window.
class WorkPlan {
  public:
    /// One part with all items, in their order.
    explicit WorkPlan(std::size_t items);

    /// Makes a plan for `parts` parts. costs[item]: the item's cost since the last plan, in any unit. If the number of
    /// parts has changed, the plan begins anew, with neighbouring items together. Otherwise items move only from homes
    /// with more than their share to homes with less, as long as that evens the homes out.
    void make(std::size_t parts, std::span<const std::uint64_t> costs);

    std::size_t parts() const { return begin_.size() - 1; }
    std::span<const std::uint32_t> part(std::size_t part) const {
        return std::span(order_).subspan(begin_[part], begin_[part + 1] - begin_[part]);
    }

  private:
    void even_out(std::span<const std::uint64_t> costs);

    std::vector<std::uint32_t> order_;  ///< items, part by part
    std::vector<std::size_t> begin_;    ///< where each part begins in `order_`, then the end
    std::vector<std::uint32_t> home_;   ///< by item
};

}  // namespace lookahead
