#include <doctest/doctest.h>

#include "core/error/error.h"
#include "experiments/results/series_collector.h"

namespace lookahead::series_collector_tests {
namespace {

constexpr StatisticDescription kCycles{"cycles", "cycle", "Cycles with work."};
constexpr StatisticDescription kHits{"hits", "line", "Hits."};

RunRecord record_of_processes() {
    RunRecord record;
    record.components = {{"sm0", "sm", -1}, {"sm1", "sm", -1}};
    return record;
}

void epoch(SeriesCollector& collector, std::uint64_t cycle, const std::string& component, std::uint64_t total) {
    collector.begin_epoch(cycle);
    collector.counter(component, "sm", kCycles, total);
    collector.counter(component, "sm", kHits, 1000);
}

RunRecord record_of(const SeriesCollector& collector) {
    RunRecord record = record_of_processes();
    collector.write_into(record);
    return record;
}

TEST_CASE("a series holds what was counted in each interval, for the chosen counters only") {
    SeriesCollector collector({"sm.cycles"});
    epoch(collector, 10, "sm0", 5);
    epoch(collector, 30, "sm0", 5);
    epoch(collector, 40, "sm0", 12);
    const RunRecord record = record_of(collector);
    REQUIRE(record.series.size() == 1);
    CHECK(record.series[0].kind == "sm");
    CHECK(record.series[0].cycles == std::vector<std::uint64_t>{10, 30, 40});
    CHECK(record.series[0].components == std::vector<std::string>{"sm0"});
    REQUIRE(record.series[0].columns.size() == 1);
    CHECK(record.series[0].columns[0].unit == "cycle");
    CHECK(record.series[0].columns[0].values == std::vector<std::uint64_t>{5, 0, 7});
}

/// Epochs 1, 2, ... of one cycle each, with 1, 2, ... cycles counted.
void triangular_epochs(SeriesCollector& collector, std::uint64_t from, std::uint64_t to, std::uint64_t& total) {
    for (std::uint64_t epoch = from; epoch <= to; ++epoch) {
        total += epoch;
        collector.begin_epoch(epoch);
        collector.counter("sm0", "sm", kCycles, total);
    }
}

std::vector<std::uint64_t> values_of(const SeriesCollector& collector) {
    return record_of(collector).series[0].columns[0].values;
}

TEST_CASE("where there are too many intervals two become one, and nothing is lost") {
    std::uint64_t total = 0;
    SeriesCollector collector({"sm.cycles"}, 4);
    triangular_epochs(collector, 1, 4, total);
    CHECK(values_of(collector) == std::vector<std::uint64_t>{1, 2, 3, 4});
    triangular_epochs(collector, 5, 5, total);
    CHECK(values_of(collector) == std::vector<std::uint64_t>{3, 7, 5});
    triangular_epochs(collector, 6, 8, total);
    CHECK(values_of(collector) == std::vector<std::uint64_t>{3, 7, 11, 15});
    triangular_epochs(collector, 9, 10, total);
    CHECK(values_of(collector) == std::vector<std::uint64_t>{10, 26, 19});
    CHECK(record_of(collector).series[0].cycles == std::vector<std::uint64_t>{4, 8, 10});
}

TEST_CASE("a series that goes on from another has the intervals of one that did not stop") {
    for (std::uint64_t stop = 1; stop < 40; ++stop) {
        std::uint64_t of_whole = 0, of_parts = 0;
        SeriesCollector whole({"sm.cycles"}, 4), first({"sm.cycles"}, 4), second({"sm.cycles"}, 4);
        triangular_epochs(whole, 1, 40, of_whole);
        triangular_epochs(first, 1, stop, of_parts);
        second.continue_from(first.to_bytes());
        triangular_epochs(second, stop + 1, 40, of_parts);
        CHECK(values_of(second) == values_of(whole));
    }
}

TEST_CASE("a component that appears after intervals were joined has nothing before") {
    std::uint64_t total = 0;
    SeriesCollector collector({"sm.cycles"}, 4);
    triangular_epochs(collector, 1, 6, total);
    const std::uint64_t late = 4;
    collector.counter("sm1", "sm", kCycles, late);
    CHECK(values_of(collector) == std::vector<std::uint64_t>{3, 0, 7, 0, 11, 4});
}

TEST_CASE("the ranks' series are merged in the order of components") {
    SeriesCollector first({"sm.cycles"});
    SeriesCollector second({"sm.cycles"});
    epoch(first, 10, "sm1", 1);
    epoch(second, 10, "sm0", 3);
    epoch(first, 20, "sm1", 2);
    epoch(second, 20, "sm0", 9);
    first.merge(second.to_bytes());
    const RunRecord record = record_of(first);
    CHECK(record.series[0].components == std::vector<std::string>{"sm0", "sm1"});
    CHECK(record.series[0].columns[0].values == std::vector<std::uint64_t>{3, 1, 6, 1});
}

TEST_CASE("a component that appears late has nothing before") {
    SeriesCollector collector({"sm.cycles"});
    epoch(collector, 10, "sm0", 5);
    epoch(collector, 20, "sm0", 6);
    collector.counter("sm1", "sm", kCycles, 4);
    CHECK(values_of(collector) == std::vector<std::uint64_t>{5, 0, 1, 4});
}

TEST_CASE("a chosen counter that no component has is an internal error") {
    SeriesCollector collector({"sm.cycles", "sm.cycle"});
    epoch(collector, 10, "sm0", 5);
    CHECK_THROWS_WITH_AS(record_of(collector), doctest::Contains("no component has the counter sm.cycle"),
                         InternalError);
}

TEST_CASE("epochs out of order, or different on two ranks, are internal errors") {
    SeriesCollector collector({"sm.cycles"});
    epoch(collector, 10, "sm0", 5);
    CHECK_THROWS_AS(collector.begin_epoch(10), InternalError);
    SeriesCollector other({"sm.cycles"});
    epoch(other, 11, "sm1", 5);
    CHECK_THROWS_AS(collector.merge(other.to_bytes()), InternalError);
}

}  // namespace
}  // namespace lookahead::series_collector_tests
