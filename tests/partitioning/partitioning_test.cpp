#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "core/error/error.h"
#include "core/lp/logical_process.h"
#include "partitioning/graph/partition_graph.h"
#include "partitioning/partitioners/partition.h"
#include "partitioning/placement/partition_report.h"
#include "tests/core/error/error_of.h"
#include "tests/support/variants.h"

using namespace lookahead;

namespace {

/// Two cliques of four with one thin link between them; every second LP belongs to the same clique.
Model two_cliques() {
    Model model;
    for (int i = 0; i < 8; ++i) { model.add({"lp" + std::to_string(i), "node", 1}, nullptr); }
    for (LpId from = 0; from < 8; ++from) {
        for (LpId to = 0; to < 8; ++to) {
            if (from != to && from % 2 == to % 2) { model.connect(from, 0, to, 0, 1000, 10); }
        }
    }
    model.connect(0, 1, 1, 0, 5000, 1);
    return model;
}

Model chain(std::size_t length) {
    Model model;
    for (std::size_t i = 0; i < length; ++i) { model.add({"lp" + std::to_string(i), "node", 1}, nullptr); }
    for (LpId i = 0; i + 1 < length; ++i) { model.connect(i, 0, i + 1, 0, 10); }
    return model;
}

/// Each of the first processes sends to each of the others and receives from it.
Model both_sides(LpId sms, LpId partitions) {
    Model model;
    for (LpId i = 0; i < sms + partitions; ++i) {
        model.add({"lp" + std::to_string(i), i < sms ? "sm" : "partition", i < sms ? 4.0 : 1.0}, nullptr);
    }
    for (LpId sm = 0; sm < sms; ++sm) {
        for (LpId i = 0; i < partitions; ++i) {
            model.connect(sm, i, sms + i, sm, 1000);
            model.connect(sms + i, sms + sm, sm, partitions + i, 1000);
        }
    }
    return model;
}

std::string write_file(const std::string& name, const std::string& text) {
    const std::string path = std::string(LOOKAHEAD_BINARY_DIR) + "/" + name;
    std::ofstream(path) << text;
    return path;
}

}  // namespace

TEST_CASE("the graph joins both directions of a channel and leaves out channels to oneself") {
    Model model;
    model.add({"a", "node", 2}, nullptr);
    model.add({"b", "node", 3}, nullptr);
    model.connect(0, 0, 1, 0, 20, 4);
    model.connect(1, 0, 0, 0, 10, 1);
    model.connect(1, 1, 1, 0, 1, 100);
    const PartitionGraph graph = make_partition_graph(model);
    CHECK(graph.work == std::vector<double>{2, 3});
    REQUIRE(graph.of(0).size() == 1);
    CHECK(graph.of(0)[0].lp == 1);
    CHECK(graph.of(0)[0].traffic == 5);
    CHECK(graph.of(0)[0].lookahead == 10);
    REQUIRE(graph.of(1).size() == 1);
    CHECK(graph.of(1)[0].lp == 0);
}

TEST_CASE("the graph partitioner cuts only the thin link between two cliques") {
    const Model model = two_cliques();
    const std::vector<int> ranks = partition(model, 2, "graph");
    for (LpId lp = 2; lp < 8; ++lp) { CHECK(ranks[lp] == ranks[lp % 2]); }
    CHECK(ranks[0] != ranks[1]);
    const PartitionReport report = report_partition(model, ranks, 2);
    CHECK(report.cut == 1);
    CHECK(report.imbalance == 1);
    CHECK(report.lookahead_between(ranks[0], ranks[1]) == 5000);
    CHECK(report.lookahead_between(ranks[1], ranks[0]) == kTimeInfinity);
    CHECK(report.lookahead_between(0, 0) == 1000);
}

TEST_CASE("the graph partitioner gives the same answer every time") {
    const Model model = chain(97);
    CHECK(partition(model, 5, "graph") == partition(model, 5, "graph"));
}

TEST_CASE("the graph partitioner gives the same answer every time for a model as large as h100_sized") {
    const Model model = both_sides(132, 160);
    const std::vector<int> first = partition(model, 2, "graph");
    for (int again = 0; again < 10; ++again) { CHECK(partition(model, 2, "graph") == first); }
}

TEST_CASE("the linear partitioner cuts where half of the work lies") {
    Model model;
    for (const double work : {1.0, 1.0, 1.0, 1.0, 4.0}) { model.add({"lp", "node", work}, nullptr); }
    CHECK(partition(model, 2, "linear") == std::vector<int>{0, 0, 0, 0, 1});
}

TEST_CASE("by kind, each rank has as many of each, and the work of all is balanced") {
    Model model;
    for (int i = 0; i < 15; ++i) {
        model.add({"sm" + std::to_string(i), "sm", i < 3 ? 12.0 : 10.0}, nullptr);
        if (i % 2 == 0) { model.add({"partition" + std::to_string(i), "partition", 6}, nullptr); }
    }
    model.add({"host", "host", 1}, nullptr);
    for (const int ranks : {2, 4, 7, 15}) {
        CAPTURE(ranks);
        const std::vector<int> placed = partition(model, ranks, "by_kind");
        for (const char* kind : {"sm", "partition", "host"}) {
            std::vector<int> counts(static_cast<std::size_t>(ranks), 0);
            for (LpId lp = 0; lp < placed.size(); ++lp) {
                counts[static_cast<std::size_t>(placed[lp])] += model.processes()[lp].kind == kind;
            }
            CHECK(std::ranges::max(counts) - std::ranges::min(counts) <= 1);
        }
        // Ranks with one SM less get partitions first, and those with longer ones get fewer of the rest.
        const PartitionReport report = report_partition(model, placed, ranks);
        CHECK(std::ranges::max(report.load) - std::ranges::min(report.load) <= 10);
    }
    const PartitionReport two = report_partition(model, partition(model, 2, "by_kind"), 2);
    CHECK(std::ranges::max(two.load) - std::ranges::min(two.load) <= 8);
}

TEST_CASE("measured work replaces the estimates") {
    const Model model = chain(4);
    const std::vector<double> measured{3, 1, 1, 1};
    CHECK(partition(model, 2, "linear", measured) == std::vector<int>{0, 1, 1, 1});
    CHECK_THROWS_AS(partition(model, 2, "linear", std::vector<double>{1, 2}), InputError);
}

TEST_CASE("no rank stays empty when there are as many processes as ranks") {
    for (const std::string& name : test::variants_of("partition")) {
        for (const std::size_t processes : {3u, 4u, 7u, 17u}) {
            Model model = chain(processes);
            Model skewed;  // one process has nearly all the work
            for (std::size_t i = 0; i < processes; ++i) { skewed.add({"lp", "node", i == 1 ? 1000.0 : 1.0}, nullptr); }
            for (int ranks = 1; ranks <= static_cast<int>(processes); ++ranks) {
                for (const Model* each : {&model, &skewed}) {
                    const std::vector<int> placed = partition(*each, ranks, name);
                    CHECK(std::set<int>(placed.begin(), placed.end()).size() == static_cast<std::size_t>(ranks));
                    CHECK(*std::max_element(placed.begin(), placed.end()) == ranks - 1);
                }
            }
        }
    }
}

TEST_CASE("a file places each process by its name") {
    const Model model = chain(3);
    const std::string file = write_file("good.partition", "# a comment\nlp1 1\nlp0 0  # here\n\nlp2 1\n");
    CHECK(partition(model, 2, file) == std::vector<int>{0, 1, 1});
}

TEST_CASE("a file that does not fit is refused with its line") {
    const Model model = chain(2);
    const auto refusal = [&](const std::string& text) {
        return test::error_of<InputError>([&] { partition(model, 2, write_file("bad.partition", text)); });
    };
    CHECK(refusal("lp0 0\nlp7 1\n").find("bad.partition:2: the model has no logical process lp7") != std::string::npos);
    CHECK(refusal("lp0 0\nlp1 2\n").find(":2: after lp1 there must be one rank from 0 to 1") != std::string::npos);
    CHECK(refusal("lp0 0\nlp0 1\n").find(":2: lp0 was placed before") != std::string::npos);
    CHECK(refusal("lp0 0\n").find("does not place lp1") != std::string::npos);
    CHECK_THROWS_AS(partition(model, 2, "/no/such/file"), InputError);
}

TEST_CASE("an unknown partitioner is refused with the nearest name and the list of those that there are") {
    CHECK_THROWS_WITH_AS(
        partition(chain(2), 2, "metis"),
        "unknown partitioner metis; there are linear, round_robin, by_kind, graph, and files (PATH/FILE)",
        ConfigurationError);
    CHECK_THROWS_WITH_AS(
        partition(chain(2), 2, "grahp"),
        "unknown partitioner grahp: did you mean graph?; there are linear, round_robin, by_kind, graph, and "
        "files (PATH/FILE)",
        ConfigurationError);
}

TEST_CASE("the report is written for reading") {
    const Model model = chain(4);
    const std::string text = report_partition(model, std::vector<int>{0, 0, 0, 1}, 2).text();
    CHECK(text.find("imbalance 1.500") != std::string::npos);
    CHECK(text.find("cut 1.000 of 3.000 traffic (33.3 %)") != std::string::npos);
}
