#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error/error.h"
#include "core/state/archives.h"
#include "core/stats/statistics.h"
#include "core/stats/statistics_registry.h"

namespace lookahead {
namespace {

struct BoxCounters {
    LOOKAHEAD_COUNTER(cycles, "cycle", "Cycles with work.");
    LOOKAHEAD_COUNTERS(stalls, 2, {"stall_data", "cycle", "Waits for data."},
                       {"stall_credit", "cycle", "Waits for credit."});
    LOOKAHEAD_HISTOGRAM(latency, 3, "cycle", "Time of a packet.", linear_edges<3>(0, 10));
    LOOKAHEAD_COUNTER(packets, "packet", "Packets sent.");
    LOOKAHEAD_ALL_DECLARED;

    bool operator==(const BoxCounters&) const = default;
};

struct PlainCounters {
    std::uint64_t a = 0, b = 0;
};

struct CarelessCounters {
    std::uint64_t a = 0, b = 0;
};

}  // namespace

template <>
struct StatisticsOf<PlainCounters> {
    static constexpr std::array list{Counter<PlainCounters>{"a", "", "First.", &PlainCounters::a},
                                     Counter<PlainCounters>{"b", "", "Second.", &PlainCounters::b}};
};

template <>
struct StatisticsOf<CarelessCounters> {
    static constexpr std::tuple list{Counter<CarelessCounters>{"a", "", "First.", &CarelessCounters::a},
                                     Counter<CarelessCounters>{"b", "", "Second.", &CarelessCounters::a}};
};

namespace {

LOOKAHEAD_REGISTER_STATISTICS(BoxCounters, "test_box", "A box that sends packets.")

BoxCounters example() {
    BoxCounters counters;
    counters.cycles = 7;
    counters.stalls = {3, 4};
    counters.latency.add(12, linear_edges<3>(0, 10), 5);
    counters.latency.add(99, linear_edges<3>(0, 10));
    counters.packets = 6;
    return counters;
}

struct Recorder : StatisticsVisitor {
    std::vector<std::string> lines;

    void counter(std::string_view component, std::string_view kind, const StatisticDescription& what,
                 const std::uint64_t& value) override {
        lines.push_back(std::string(component) + " " + std::string(kind) + "." + std::string(what.name) + " " +
                        std::to_string(value) + " " + std::string(what.unit));
    }
    void histogram(std::string_view component, std::string_view kind, const StatisticDescription& what,
                   const HistogramView& value) override {
        std::string line = std::string(component) + " " + std::string(kind) + "." + std::string(what.name);
        for (const auto count : value.counts) { line += " " + std::to_string(count); }
        lines.push_back(line + " over " + std::to_string(value.overflow) + " edges " +
                        std::to_string(value.edges.size()));
    }
};

TEST_CASE("a visitor sees every statistic in the order of declaration") {
    Recorder recorder;
    visit(recorder, "box3", "box", example());
    CHECK(recorder.lines == std::vector<std::string>{"box3 box.cycles 7 cycle", "box3 box.stall_data 3 cycle",
                                                     "box3 box.stall_credit 4 cycle",
                                                     "box3 box.latency 0 5 0 over 1 edges 4",
                                                     "box3 box.packets 6 packet"});
}

TEST_CASE("statistics may be declared in an array too") {
    Recorder recorder;
    visit(recorder, "p", "plain", PlainCounters{1, 2});
    CHECK(recorder.lines == std::vector<std::string>{"p plain.a 1 ", "p plain.b 2 "});
}

TEST_CASE("the difference of two moments is what was counted between them") {
    const BoxCounters before = example();
    BoxCounters after = before;
    after.cycles += 10;
    after.stalls[1] += 2;
    after.latency.add(1, linear_edges<3>(0, 10));
    const BoxCounters between = difference(after, before);
    BoxCounters expected;
    expected.cycles = 10;
    expected.stalls = {0, 2};
    expected.latency.counts = {1, 0, 0};
    CHECK(between == expected);
    BoxCounters sum = before;
    accumulate(sum, between);
    CHECK(sum == after);
    reset(sum);
    CHECK(sum == BoxCounters{});
}

TEST_CASE("the hash changes with every single statistic") {
    const std::uint64_t original = hash_of_state(example());
    CHECK(hash_of_state(example()) == original);
    const auto changes_it = [original](auto change) {
        BoxCounters changed = example();
        change(changed);
        CHECK(hash_of_state(changed) != original);
    };
    changes_it([](BoxCounters& counters) { ++counters.cycles; });
    changes_it([](BoxCounters& counters) { ++counters.stalls[1]; });
    changes_it([](BoxCounters& counters) { ++counters.latency.overflow; });
    changes_it([](BoxCounters& counters) { --counters.packets; });
}

TEST_CASE("saved statistics load as they were") {
    const BoxCounters saved = example();
    BoxCounters loaded;
    load_state(loaded, saved_state(saved));
    CHECK(loaded == saved);
}

TEST_CASE("a registered kind lists its statistics with units and descriptions") {
    const auto& sets = registered_statistics_sets();
    const auto found = std::ranges::find(sets, "test_box", &StatisticsSetEntry::kind);
    REQUIRE(found != sets.end());
    CHECK(found->statistics.size() == 5);
    CHECK(found->statistics[2].name == "stall_credit");
    CHECK(found->statistics[2].description == "Waits for credit.");
    CHECK(found->statistics[3].unit == "cycle");
    CHECK_THROWS_AS(add_statistics_set(*found), InternalError);
}

TEST_CASE("a member that is declared twice is a fault") {
    CHECK(declares_each_member_once<BoxCounters>());
    CHECK_FALSE(declares_each_member_once<CarelessCounters>());
    CHECK_THROWS_AS(add_statistics_set(statistics_entry<CarelessCounters>("careless", "Declares a twice.")),
                    InternalError);
}

TEST_CASE("two statistics of one name, a missing description and a bad name are faults") {
    const StatisticsSetEntry good{"box", "A box.", {{"a", "", "First."}, {"b", "", "Second."}}, true};
    CHECK(statistics_faults(good).empty());
    StatisticsSetEntry set = good;
    set.statistics[1].name = "a";
    CHECK(statistics_faults(set) == std::vector<std::string>{"two statistics are named box.a"});
    CHECK_THROWS_AS(add_statistics_set(set), InternalError);
    set = good;
    set.statistics[0].description = "";
    CHECK(statistics_faults(set) == std::vector<std::string>{"the statistic box.a has no description"});
    set = good;
    set.statistics[0].name = "readHits";
    CHECK(statistics_faults(set).size() == 1);
    set = good;
    set.description = "";
    CHECK(statistics_faults(set).size() == 1);
}

}  // namespace
}  // namespace lookahead
