#include "core/sync/routes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

using namespace lookahead;

TEST_CASE("direct: a batch for each other rank") {
    for (int ranks = 1; ranks <= 9; ++ranks) {
        for (int rank = 0; rank < ranks; ++rank) {
            const Routes routes(rank, ranks, false);
            REQUIRE(routes.batches() == static_cast<std::size_t>(ranks - 1));
            for (int to = 0; to < ranks; ++to) {
                if (to != rank) { CHECK(routes.to(routes.batch_for(to)) == to); }
            }
        }
    }
}

TEST_CASE("what goes to a rank in a batch comes in there for the same batch") {
    for (const bool in_rounds : {false, true}) {
        for (int ranks = 1; ranks <= 40; ++ranks) {
            for (int rank = 0; rank < ranks; ++rank) {
                const Routes routes(rank, ranks, in_rounds);
                std::set<int> peers;
                for (std::size_t batch = 0; batch < routes.batches(); ++batch) {
                    CHECK(Routes(routes.to(batch), ranks, in_rounds).from(batch) == rank);
                    peers.insert(routes.to(batch));
                }
                CHECK(peers.size() == routes.batches());  // never two packets to one peer
                CHECK_FALSE(peers.contains(rank));
            }
        }
    }
}

TEST_CASE("in rounds every message reaches its receiver in later and later rounds, and every bound all ranks") {
    for (int ranks = 2; ranks <= 40; ++ranks) {
        CAPTURE(ranks);
        std::size_t rounds = Routes(0, ranks, true).batches();
        CHECK((1 << rounds) >= ranks);
        CHECK((1 << (rounds - 1)) < ranks);
        for (int from = 0; from < ranks; ++from) {
            for (int to = 0; to < ranks; ++to) {
                std::size_t next = 0;
                for (int at = from; at != to;) {
                    const Routes routes(at, ranks, true);
                    const std::size_t batch = routes.batch_for(to);
                    REQUIRE(batch >= next);
                    REQUIRE(batch < rounds);
                    next = batch + 1;
                    at = routes.to(batch);
                }
            }
        }
        std::vector<std::set<int>> known(static_cast<std::size_t>(ranks));
        for (int rank = 0; rank < ranks; ++rank) { known[static_cast<std::size_t>(rank)] = {rank}; }
        for (std::size_t round = 0; round < rounds; ++round) {
            const auto before = known;
            for (int rank = 0; rank < ranks; ++rank) {
                const auto& theirs = before[static_cast<std::size_t>(Routes(rank, ranks, true).from(round))];
                known[static_cast<std::size_t>(rank)].insert(theirs.begin(), theirs.end());
            }
        }
        CHECK(
            std::ranges::all_of(known, [&](const auto& all) { return all.size() == static_cast<std::size_t>(ranks); }));
    }
}

TEST_CASE("1 024 ranks have ten peers each, 1 025 eleven") {
    CHECK(Routes(17, 1024, true).batches() == 10);
    CHECK(Routes(17, 1025, true).batches() == 11);
    CHECK(Routes(0, 1, true).batches() == 0);
}
