#include "components/frontend/ptx/graph.h"
#include "tests/support/seed.h"

#include <doctest/doctest.h>

#include <random>

namespace lookahead::ptx {
namespace {

using Nodes = std::vector<std::uint32_t>;

Graph graph_of(std::vector<Nodes> successors, const Nodes& exits) {
    Graph graph{std::move(successors), {}};
    graph.exits.resize(graph.size(), false);
    for (const std::uint32_t node : exits) { graph.exits[node] = true; }
    return graph;
}

/// The nodes that can be reached from `start` without passing through `removed`.
std::vector<bool> reach(const std::vector<Nodes>& edges, const Nodes& start, std::uint32_t removed) {
    std::vector<bool> seen(edges.size(), false);
    Nodes open;
    const auto visit = [&](std::uint32_t node) {
        if (node == removed || seen[node]) { return; }
        seen[node] = true;
        open.push_back(node);
    };
    for (const std::uint32_t node : start) { visit(node); }
    while (!open.empty()) {
        const std::uint32_t node = open.back();
        open.pop_back();
        for (const std::uint32_t next : edges[node]) { visit(next); }
    }
    return seen;
}

/// a dominates b if b cannot be reached from the start once a is removed.
bool slow_dominates(const std::vector<Nodes>& edges, const Nodes& start, std::uint32_t a, std::uint32_t b) {
    return a == b || !reach(edges, start, a)[b];
}

Graph random_graph(std::mt19937_64& random) {
    const auto size = std::uniform_int_distribution<std::uint32_t>(1, 24)(random);
    std::uniform_int_distribution<std::uint32_t> any(0, size - 1);
    std::uniform_int_distribution<int> degree(0, 3);
    Graph graph{std::vector<Nodes>(size), std::vector<bool>(size, false)};
    for (std::uint32_t node = 0; node < size; ++node) {
        for (int i = degree(random); i > 0; --i) { graph.successors[node].push_back(any(random)); }
        graph.exits[node] = graph.successors[node].empty() || random() % 10 == 0;
    }
    return graph;
}

Nodes exits_of(const Graph& graph) {
    Nodes exits;
    for (std::uint32_t node = 0; node < graph.size(); ++node) {
        if (graph.exits[node]) { exits.push_back(node); }
    }
    return exits;
}

}  // namespace

TEST_CASE("the arms of a diamond are dominated by its top and post-dominated by its bottom") {
    const Graph graph = graph_of({{1, 2}, {3}, {3}, {}}, {3});
    CHECK(immediate_dominators(graph) == Nodes{kNoNode, 0, 0, 0});
    CHECK(immediate_post_dominators(graph) == Nodes{3, 3, 3, kNoNode});
}

TEST_CASE("an if without else joins at the block after it") {
    const Graph graph = graph_of({{1, 2}, {2}, {}}, {2});
    CHECK(immediate_post_dominators(graph) == Nodes{2, 2, kNoNode});
}

TEST_CASE("a loop's header dominates its body, and its exit post-dominates both") {
    const Graph graph = graph_of({{1}, {2, 3}, {1}, {}}, {3});
    CHECK(immediate_dominators(graph) == Nodes{kNoNode, 0, 1, 1});
    CHECK(immediate_post_dominators(graph) == Nodes{1, 3, 1, kNoNode});
}

TEST_CASE("an early return leaves only the virtual exit after the branch") {
    const Graph graph = graph_of({{1, 2}, {}, {}}, {1, 2});
    CHECK(immediate_post_dominators(graph) == Nodes{kNoNode, kNoNode, kNoNode});
}

TEST_CASE("a node that may leave and may go on has the virtual exit as post-dominator") {
    const Graph graph = graph_of({{1}, {2}, {}}, {1, 2});
    CHECK(immediate_post_dominators(graph) == Nodes{1, kNoNode, kNoNode});
}

TEST_CASE("two entries into a loop leave its nodes dominated by the branch before it") {
    const Graph graph = graph_of({{1, 2}, {2}, {1, 3}, {}}, {3});
    CHECK(immediate_dominators(graph) == Nodes{kNoNode, 0, 0, 2});
}

TEST_CASE("an endless loop's first node counts as leading to the exit") {
    const Graph graph = graph_of({{1}, {2}, {1}}, {});
    CHECK(immediate_post_dominators(graph) == Nodes{1, kNoNode, 1});
}

TEST_CASE("a branch into one of two endless loops or out has the virtual exit as post-dominator") {
    const Graph graph = graph_of({{1, 2, 4}, {1}, {3}, {2}, {}}, {4});
    CHECK(immediate_post_dominators(graph) == Nodes{kNoNode, kNoNode, kNoNode, 2, kNoNode});
}

TEST_CASE("an endless loop behind a loop that can be left inwards only is found at its end") {
    // 1 and 2 form a cycle that leads into the cycle of 3 only.
    const Graph graph = graph_of({{1}, {2, 3}, {1}, {3}}, {});
    CHECK(immediate_post_dominators(graph) == Nodes{1, 3, 1, kNoNode});
}

TEST_CASE("unreachable nodes have no dominator") {
    const Graph graph = graph_of({{}, {0}}, {0});
    CHECK(immediate_dominators(graph) == Nodes{kNoNode, kNoNode});
    CHECK(reverse_post_order(graph) == Nodes{0});
}

TEST_CASE("a graph without nodes has no dominators") {
    CHECK(immediate_dominators(Graph{}).empty());
    CHECK(immediate_post_dominators(Graph{}).empty());
}

TEST_CASE("a deep chain needs no deep recursion") {
    const std::uint32_t size = 200000;
    Graph graph{std::vector<Nodes>(size), std::vector<bool>(size, false)};
    for (std::uint32_t node = 0; node + 1 < size; ++node) { graph.successors[node] = {node + 1}; }
    graph.exits[size - 1] = true;
    CHECK(immediate_dominators(graph)[size - 1] == size - 2);
    CHECK(immediate_post_dominators(graph)[0] == 1);
}

TEST_CASE("dominators of random graphs agree with removing nodes and looking what can still be reached") {
    std::mt19937_64 random(lookahead::test::random_seed());
    for (int round = 0; round < 1500; ++round) {
        const Graph graph = random_graph(random);
        const DominatorTree tree(immediate_dominators(graph));
        const auto reachable = reach(graph.successors, {0}, kNoNode);
        for (std::uint32_t b = 0; b < graph.size(); ++b) {
            if (!reachable[b]) {
                REQUIRE(tree.immediate(b) == kNoNode);
                continue;
            }
            for (std::uint32_t a = 0; a < graph.size(); ++a) {
                if (!reachable[a]) { continue; }
                REQUIRE(tree.dominates(a, b) == slow_dominates(graph.successors, {0}, a, b));
            }
        }
    }
}

TEST_CASE("post-dominators of random graphs agree with removing nodes and looking what still reaches an exit") {
    std::mt19937_64 random(lookahead::test::random_seed());
    for (int round = 0; round < 1500; ++round) {
        const Graph graph = random_graph(random);
        const auto backwards = predecessors(graph);
        // A set of nodes without a way out gets an exit at its first node.
        Nodes exits = exits_of(graph);
        const auto ends = reach(backwards, exits, kNoNode);
        for (std::uint32_t node = 0; node < graph.size(); ++node) {
            const auto onward = reach(graph.successors, {node}, kNoNode);
            bool first_of_closed_loop = !ends[node];
            for (std::uint32_t other = 0; other < graph.size(); ++other) {
                if (!onward[other]) { continue; }
                const bool returns = reach(graph.successors, {other}, kNoNode)[node];
                first_of_closed_loop = first_of_closed_loop && returns && other >= node;
            }
            if (first_of_closed_loop) { exits.push_back(node); }
        }
        const DominatorTree tree(immediate_post_dominators(graph));
        for (std::uint32_t a = 0; a < graph.size(); ++a) {
            for (std::uint32_t b = 0; b < graph.size(); ++b) {
                REQUIRE(tree.dominates(a, b) == slow_dominates(backwards, exits, a, b));
            }
        }
    }
}

}  // namespace lookahead::ptx
