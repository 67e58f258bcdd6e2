#include "experiments/profile/innermost_loops.h"

#include <doctest/doctest.h>

namespace lookahead::profile {
namespace {

ptx::Graph graph_of(std::vector<std::vector<std::uint32_t>> successors) {
    ptx::Graph graph;
    graph.exits.assign(successors.size(), false);
    graph.exits.back() = true;
    graph.successors = std::move(successors);
    return graph;
}
using Loops = std::vector<std::uint32_t>;

TEST_CASE("code without a way back has no loop") {
    CHECK(innermost_loops(graph_of({{1, 2}, {2}, {}})) == Loops{kNoLoop, kNoLoop, kNoLoop});
}

TEST_CASE("of two loops one in the other the inner one alone is innermost") {
    // 0 -> 1 (outer head) -> 2 (inner head) -> 3 -> 2 | 4 -> 1 | 5
    CHECK(innermost_loops(graph_of({{1}, {2}, {3}, {2, 4}, {1, 5}, {}})) ==
          Loops{kNoLoop, kNoLoop, 2, 2, kNoLoop, kNoLoop});
}

TEST_CASE("loops behind one another are both innermost") {
    CHECK(innermost_loops(graph_of({{1}, {1, 2}, {3}, {2, 4}, {}})) == Loops{kNoLoop, 1, 2, 2, kNoLoop});
}

TEST_CASE("two ways back to one head make one loop, with all of both") {
    CHECK(innermost_loops(graph_of({{1}, {2, 3}, {1}, {1, 4}, {}})) == Loops{kNoLoop, 1, 1, 1, kNoLoop});
}

TEST_CASE("code that cannot be reached makes no loop") {
    // 2 jumps to itself and to 1; nothing leads to 2.
    CHECK(innermost_loops(graph_of({{1}, {3}, {2, 1}, {}})) == Loops{kNoLoop, kNoLoop, kNoLoop, kNoLoop});
}

}  // namespace
}  // namespace lookahead::profile
