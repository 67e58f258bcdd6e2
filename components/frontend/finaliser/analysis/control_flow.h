#pragma once

#include <cstdint>
#include <vector>

#include "components/frontend/finaliser/analysis/flow.h"
#include "components/frontend/finaliser/code/bit_set.h"
#include "components/frontend/finaliser/code/virtual_kernel.h"

namespace lookahead::finaliser {

/// Makes every jump the last instruction of its block.
void split_at_jumps(VirtualKernel& kernel);

/// Queries about a kernel's control flow. Valid while blocks and jumps are unchanged.
class Flow {
  public:
    /// Jumps must end their blocks (split_at_jumps).
    explicit Flow(const VirtualKernel& kernel);

    std::uint32_t blocks() const { return graph_.size(); }
    const ptx::Graph& graph() const { return graph_; }
    const std::vector<std::uint32_t>& order() const { return order_; }  ///< reverse post-order: reachable blocks
    bool reachable(std::uint32_t block) const { return reachable_[block]; }
    const std::vector<std::uint32_t>& predecessors(std::uint32_t block) const { return predecessors_[block]; }
    const std::vector<Loop>& loops() const { return loops_; }
    /// The block where all paths from here that do not end meet next; kNoNode if only at the end.
    std::uint32_t post_dominator(std::uint32_t block) const { return post_dominators_[block]; }
    /// Blocks whose last jump decides whether control comes to `block` (Ferrante et al., 1987).
    const std::vector<std::uint32_t>& controllers(std::uint32_t block) const { return controllers_[block]; }
    /// The jump at the block's end if it has a guard, or null.
    const VirtualInstruction* branch(std::uint32_t block) const { return branches_[block]; }

    /// The joins at which a register may have a different value on each path of lanes that the branch at the end of
    /// `block` has separated, as in Rosemann et al., "An Abstract Interpretation for SPMD Divergence on Reducible
    /// Control Flow Graphs" (POPL 2021): each path carries its name up to the place where another path arrives.
    std::vector<std::uint32_t> joins_of(std::uint32_t block) const;
    /// Loops around `block` that its branch lets some lanes leave while others stay.
    std::vector<std::uint32_t> loops_left_at(std::uint32_t block) const;
    /// Blocks after `block` on any path, including itself if it is in a loop.
    BitSet behind(std::uint32_t block) const;
    /// `block` and the blocks after it on paths not through `end` (may be kNoNode); empty if `block` is `end`.
    BitSet up_to(std::uint32_t block, std::uint32_t end) const;

  private:
    BitSet reached_from(std::vector<std::uint32_t> open, BitSet reached) const;
    void find_controllers();
    /// By block: the name of the path from the branch at the end of `block` that leads there, up to where all meet.
    std::vector<std::uint32_t> names_from(std::uint32_t block, std::vector<std::uint32_t>& joins) const;

    ptx::Graph graph_;
    std::vector<std::vector<std::uint32_t>> predecessors_;
    std::vector<std::uint32_t> order_;
    std::vector<bool> reachable_;
    std::vector<std::uint32_t> post_dominators_;
    std::vector<std::vector<std::uint32_t>> controllers_;
    std::vector<const VirtualInstruction*> branches_;
    std::vector<Loop> loops_;
};

}  // namespace lookahead::finaliser
