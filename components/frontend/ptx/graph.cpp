#include "components/frontend/ptx/graph.h"

#include <algorithm>
#include <utility>

#include "core/error/error.h"

namespace lookahead::ptx {
namespace {

using Edges = std::vector<std::vector<std::uint32_t>>;

Edges reversed(const Edges& edges) {
    Edges result(edges.size());
    for (std::uint32_t from = 0; from < edges.size(); ++from) {
        for (const std::uint32_t to : edges[from]) { result[to].push_back(from); }
    }
    return result;
}

/// Appends to `order` the nodes reached from `root` that are not in `seen`, each after all its successors.
void append_post_order(const Edges& edges, std::uint32_t root, std::vector<bool>& seen,
                       std::vector<std::uint32_t>& order) {
    if (seen[root]) { return; }
    seen[root] = true;
    std::vector<std::pair<std::uint32_t, std::size_t>> path{{root, 0}};
    while (!path.empty()) {
        auto& [node, next] = path.back();
        if (next == edges[node].size()) {
            order.push_back(node);
            path.pop_back();
            continue;
        }
        const std::uint32_t successor = edges[node][next++];
        if (seen[successor]) { continue; }
        seen[successor] = true;
        path.emplace_back(successor, 0);
    }
}

/// Immediate dominators seen from `root`; that of `root` is itself, that of a node that it does not reach is kNoNode.
std::vector<std::uint32_t> dominators_from(std::uint32_t root, const Edges& edges) {
    std::vector<bool> seen(edges.size(), false);
    std::vector<std::uint32_t> order;
    append_post_order(edges, root, seen, order);
    std::vector<std::uint32_t> number(edges.size(), kNoNode);
    for (std::uint32_t i = 0; i < order.size(); ++i) { number[order[i]] = i; }

    std::vector<std::uint32_t> immediate(edges.size(), kNoNode);
    immediate[root] = root;
    const auto common = [&](std::uint32_t a, std::uint32_t b) {
        while (a != b) {
            while (number[a] < number[b]) { a = immediate[a]; }
            while (number[b] < number[a]) { b = immediate[b]; }
        }
        return a;
    };
    const Edges from = reversed(edges);
    for (bool changed = true; changed;) {
        changed = false;
        for (auto node = order.rbegin(); node != order.rend(); ++node) {
            if (*node == root) { continue; }
            std::uint32_t best = kNoNode;
            for (const std::uint32_t predecessor : from[*node]) {
                if (immediate[predecessor] == kNoNode) { continue; }
                best = best == kNoNode ? predecessor : common(best, predecessor);
            }
            changed = changed || immediate[*node] != best;
            immediate[*node] = best;
        }
    }
    return immediate;
}

/// One node of each strongly connected set of nodes without an exit: its first in node order. Among the nodes not in
/// `ends` (they lead only to one another), the node with the latest finish of a depth-first search over the reversed
/// edges is in such a set, as in Kosaraju's algorithm.
std::vector<std::uint32_t> endless_loops(const Edges& edges, const Edges& from, std::vector<bool> ends) {
    std::vector<bool> seen = ends;
    std::vector<std::uint32_t> finished;
    for (std::uint32_t node = 0; node < edges.size(); ++node) { append_post_order(from, node, seen, finished); }

    std::vector<std::uint32_t> result;
    for (auto node = finished.rbegin(); node != finished.rend(); ++node) {
        if (ends[*node]) { continue; }
        std::vector<bool> reached(edges.size(), false);
        std::vector<std::uint32_t> loop;
        append_post_order(edges, *node, reached, loop);
        result.push_back(*std::min_element(loop.begin(), loop.end()));
        std::vector<std::uint32_t> led_here;
        append_post_order(from, *node, ends, led_here);
    }
    return result;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> predecessors(const Graph& graph) {
    return reversed(graph.successors);
}

std::vector<std::uint32_t> reverse_post_order(const Graph& graph) {
    std::vector<std::uint32_t> order;
    if (graph.size() == 0) { return order; }
    std::vector<bool> seen(graph.size(), false);
    append_post_order(graph.successors, 0, seen, order);
    std::reverse(order.begin(), order.end());
    return order;
}

std::vector<bool> reached_from(std::uint32_t root, const Edges& edges) {
    std::vector<bool> seen(edges.size(), false);
    std::vector<std::uint32_t> order;
    append_post_order(edges, root, seen, order);
    return seen;
}

std::vector<std::uint32_t> immediate_dominators(const Graph& graph) {
    if (graph.size() == 0) { return {}; }
    std::vector<std::uint32_t> immediate = dominators_from(0, graph.successors);
    immediate[0] = kNoNode;
    return immediate;
}

std::vector<std::uint32_t> immediate_post_dominators(const Graph& graph) {
    LOOKAHEAD_ASSERT(graph.exits.size() == graph.size(), "a graph says of each node whether it is an exit");
    const std::uint32_t exit = graph.size();
    // The reversed graph with the virtual exit, from which all nodes are reached.
    Edges from = reversed(graph.successors);
    std::vector<bool> ends(graph.size(), false);
    std::vector<std::uint32_t> reaching;
    std::vector<std::uint32_t> last;
    for (std::uint32_t node = 0; node < exit; ++node) {
        if (!graph.exits[node]) { continue; }
        append_post_order(from, node, ends, reaching);
        last.push_back(node);
    }
    for (const std::uint32_t node : endless_loops(graph.successors, from, ends)) { last.push_back(node); }
    from.push_back(std::move(last));

    std::vector<std::uint32_t> immediate = dominators_from(exit, from);
    immediate.pop_back();
    std::ranges::replace(immediate, exit, kNoNode);
    return immediate;
}

DominatorTree::DominatorTree(std::vector<std::uint32_t> immediate)
    : immediate_(std::move(immediate)), first_(immediate_.size()), last_(immediate_.size()) {
    const auto count = static_cast<std::uint32_t>(immediate_.size());
    Edges children(count);
    std::vector<std::uint32_t> roots;
    for (std::uint32_t node = 0; node < count; ++node) {
        (immediate_[node] == kNoNode ? roots : children[immediate_[node]]).push_back(node);
    }
    std::vector<bool> seen(count, false);
    std::vector<std::uint32_t> order;
    for (const std::uint32_t root : roots) { append_post_order(children, root, seen, order); }
    // In post-order a node directly follows all nodes that it dominates; counted from the end, this is a pre-order.
    for (std::uint32_t i = 0; i < count; ++i) { first_[order[i]] = count - 1 - i; }
    last_ = first_;
    for (const std::uint32_t node : order) {
        if (immediate_[node] != kNoNode) { last_[immediate_[node]] = std::max(last_[immediate_[node]], last_[node]); }
    }
}

}  // namespace lookahead::ptx
