#include "core/sync/rank_lookahead.h"

#include <doctest/doctest.h>

#include "core/lp/logical_process.h"

using namespace lookahead;

namespace {

/// 0 -> 1 -> 2 -> 0; LP 3 is on the same rank as LP 0.
Model ring() {
    Model model;
    for (int i = 0; i < 4; ++i) { model.add({"lp" + std::to_string(i), "node"}, nullptr); }
    model.connect(0, 0, 1, 0, 10);
    model.connect(1, 0, 2, 0, 20);
    model.connect(2, 0, 0, 0, 40);
    model.connect(0, 1, 3, 0, 1);
    model.connect(0, 2, 1, 0, 15);
    return model;
}

}  // namespace

TEST_CASE("the lookahead between ranks is that of the shortest channel") {
    const RankLookahead lookahead(ring(), std::vector<int>{0, 1, 2, 0}, 3);
    CHECK(lookahead.direct(0, 1) == 10);
    CHECK(lookahead.direct(1, 0) == kTimeInfinity);
    CHECK(lookahead.direct(0, 0) == 1);
    CHECK(lookahead.direct(1, 1) == kTimeInfinity);
}

TEST_CASE("a uniform fan-out reaches every rank in its range") {
    Model model;
    for (int i = 0; i < 6; ++i) { model.add({"lp" + std::to_string(i), "node"}, nullptr); }
    model.connect_all(0, 0, 1, 4, 0, 7);
    const RankLookahead lookahead(model, std::vector<int>{0, 0, 1, 1, 2, 3}, 4);
    CHECK(lookahead.direct(0, 0) == 7);
    CHECK(lookahead.direct(0, 1) == 7);
    CHECK(lookahead.direct(0, 2) == 7);
    CHECK(lookahead.direct(0, 3) == kTimeInfinity);
}
