#include "experiments/sweep/costs.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace lookahead {
namespace {

using Ranks = std::vector<int>;

TEST_CASE("points of equal cost get one rank each, however many ranks there are") {
    CHECK(choose_ranks(std::vector<double>(8, 3.0), 8) == Ranks(8, 1));
    CHECK(choose_ranks(std::vector<double>(100, 0.05), 8) == Ranks(100, 1));
    CHECK(choose_ranks({}, 8).empty());
}

TEST_CASE("a point that would run alone at the end gets the least power of two with which it does not") {
    // 40 s over 4 ranks are 10 s: 10 s fit on one rank, 11 s do not.
    CHECK(choose_ranks(std::vector<double>{10, 10, 10, 10}, 4) == Ranks{1, 1, 1, 1});
    CHECK(choose_ranks(std::vector<double>{11, 10, 10, 9}, 4) == Ranks{2, 1, 1, 1});
    CHECK(choose_ranks(std::vector<double>{20, 20}, 4) == Ranks{2, 2});
    CHECK(choose_ranks(std::vector<double>{21, 19}, 4) == Ranks{4, 2});
}

TEST_CASE("no point gets more ranks than there are") {
    CHECK(choose_ranks(std::vector<double>{1000, 1}, 4) == Ranks{4, 1});
    CHECK(choose_ranks(std::vector<double>{1000, 1}, 3) == Ranks{2, 1});
    CHECK(choose_ranks(std::vector<double>{1000, 1}, 1) == Ranks{1, 1});
}

TEST_CASE("points of one program have its workload, size, seed and parameters, on any machine") {
    const std::vector<std::string> base{"sgemm", "--size", "tiny", "--seed", "1", "--machine", "gtx480"};
    const auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> all = base;
        all.insert(all.end(), more.begin(), more.end());
        return program_of(all);
    };
    CHECK(with({}) == with({"-o", "l1d.ways=8"}));
    CHECK(with({}) != with({"--set", "n=64"}));
    CHECK(with({"--set", "n=64"}) == with({"-o", "l1d.ways=8", "--set", "n=64"}));
    CHECK(program_of(base) != program_of(std::vector<std::string>{"bfs", "--size", "tiny", "--seed", "1"}));
    CHECK(program_of(base) != program_of(std::vector<std::string>{"sgemm", "--size", "small", "--seed", "1"}));
}

}  // namespace
}  // namespace lookahead
