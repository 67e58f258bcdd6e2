#pragma once

#include <cstdint>
#include <vector>

namespace lookahead::ptx {

/// "No node": the virtual exit as a post-dominator, or an unreachable node's dominator.
inline constexpr std::uint32_t kNoNode = 0xffffffffU;

/// A control-flow graph without contents: node 0 is the entry. Usable for PTX and for machine code alike.
struct Graph {
    std::vector<std::vector<std::uint32_t>> successors;
    std::vector<bool> exits;  ///< exits[n]: control may leave the function at the end of node n

    std::uint32_t size() const { return static_cast<std::uint32_t>(successors.size()); }
};

std::vector<std::vector<std::uint32_t>> predecessors(const Graph& graph);

/// Nodes that can be reached from the entry, in reverse post-order.
std::vector<std::uint32_t> reverse_post_order(const Graph& graph);

/// By node: whether a path leads to it from `root`, which counts itself, over these edges.
std::vector<bool> reached_from(std::uint32_t root, const std::vector<std::vector<std::uint32_t>>& edges);

/// Immediate dominators; kNoNode for the entry and for unreachable nodes.
/// Method: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
std::vector<std::uint32_t> immediate_dominators(const Graph& graph);

/// Immediate post-dominators over a virtual exit node that follows every node with `exits`; kNoNode for the virtual
/// exit itself. For nodes that cannot reach an exit, one node of each endless loop, the first in node order, gets an
/// edge to the virtual exit, so that every node has a post-dominator.
std::vector<std::uint32_t> immediate_post_dominators(const Graph& graph);

/// The tree that immediate dominators (or post-dominators) make, numbered so that `dominates` looks at two nodes only.
class DominatorTree {
  public:
    /// `immediate[n]`: n's immediate dominator, or kNoNode.
    explicit DominatorTree(std::vector<std::uint32_t> immediate);

    std::uint32_t immediate(std::uint32_t node) const { return immediate_[node]; }
    /// Whether `a` dominates `b`; every node dominates itself.
    bool dominates(std::uint32_t a, std::uint32_t b) const { return first_[a] <= first_[b] && first_[b] <= last_[a]; }

  private:
    std::vector<std::uint32_t> immediate_;
    std::vector<std::uint32_t> first_;  ///< a node's number in pre-order
    std::vector<std::uint32_t> last_;   ///< the greatest number among those that it dominates
};

}  // namespace lookahead::ptx
