#include "experiments/sweep/costs.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/hdf5/file.h"
#include "tests/core/hdf5/temporary_folder.h"

namespace lookahead {
namespace {

using Ranks = std::vector<int>;
using Texts = std::vector<std::string>;

TEST_CASE("points of equal cost get one rank each, however many ranks there are") {
    CHECK(choose_ranks(std::vector<double>(8, 3.0), 8) == Ranks(8, 1));
    CHECK(choose_ranks(std::vector<double>(100, 0.05), 8) == Ranks(100, 1));
    CHECK(choose_ranks({}, 8).empty());
}

TEST_CASE("a point that would run alone at the end gets the least power of two with which it does not") {
    // 40 s over 4 ranks are 10 s each: a point of 10 s fits on one rank, one of 11 s does not.
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

TEST_CASE("what points took before is in the index of the folder, by the values of axes of numbers and of texts") {
    const Study study = parse_study(R"(
workloads = ["a"]
[[axis]]
key = "l1d.ways"
values = [4, 8]
[[axis]]
key = "sm.warp_scheduler"
values = ["lrr", "gto"]
)",
                                    "test", "test.toml");
    const TemporaryFolder folder;
    {
        hdf5::OutputFile file(folder.file("index.h5"));
        {
            hdf5::Group points = file.root().create_group("points");
            points.write_texts("workload", Texts{"a", "a", "a", "a"}, {"", ""});
            points.write_column<double>("l1d.ways", std::vector<double>{4, 4, 8, 8}, {"", ""});
            points.write_texts("sm.warp_scheduler", Texts{"lrr", "gto", "lrr", "gto"}, {"", ""});
            points.write_column<double>("wall_s", std::vector<double>{1, 2, 3, 4}, {"second", ""});
            points.write_column<double>("ranks", std::vector<double>{1, 1, 1, 2}, {"", ""});
        }
        file.commit();
    }
    std::vector<SweepPoint> points;
    for (const char* ways : {"4", "8"}) {
        for (const char* scheduler : {"lrr", "gto"}) {
            points.push_back({"a", {ways, scheduler}, {"a"}, std::string("key") + ways + scheduler});
        }
    }
    const EarlierCosts costs(study, SweepFolder(folder.file("")), points);
    const double expected[] = {1, 2, 3, 8};
    for (std::size_t i = 0; i < points.size(); ++i) { CHECK(costs.of(points[i]) == expected[i]); }
}

}  // namespace
}  // namespace lookahead
