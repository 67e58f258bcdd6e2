#include <doctest/doctest.h>

#include "core/error/error.h"
#include "experiments/results/statistics_collector.h"

namespace lookahead::statistics_collector_tests {
namespace {

constexpr StatisticDescription kCycles{"cycles", "cycle", "Cycles with work."};
constexpr StatisticDescription kHits{"hits", "line", "Hits."};
constexpr StatisticDescription kLatency{"latency", "cycle", "Time of a load."};

RunRecord record_of(const StatisticsCollector& collector) {
    RunRecord record;
    record.components = {{"sm0", "sm", -1}, {"sm1", "sm", -1}, {"sm10", "sm", -1}};
    collector.write_into(record);
    return record;
}

void show_sm(StatisticsVisitor& visitor, const std::string& name, std::uint64_t value) {
    visitor.counter(name, "sm", kCycles, value);
    visitor.counter(name + ".l1d", "l1d", kHits, value + 1);
    const std::vector<std::uint64_t> edges{0, 10, 20};
    const std::vector<std::uint64_t> counts{value, value + 2};
    visitor.histogram(name, "sm", kLatency, {edges, counts, 3, 4});
}

void check_result(const RunRecord& record) {
    REQUIRE(record.components.size() == 6);
    CHECK(record.components[3].name == "sm0.l1d");
    CHECK(record.components[3].kind == "l1d");
    CHECK(record.components[3].parent == 0);
    CHECK(record.components[5].name == "sm10.l1d");
    CHECK(record.components[5].parent == 2);
    REQUIRE(record.counters.size() == 2);
    CHECK(record.counters[0].kind == "l1d");
    CHECK(record.counters[0].components == std::vector<std::string>{"sm0.l1d", "sm1.l1d", "sm10.l1d"});
    CHECK(record.counters[0].columns[0].values == std::vector<std::uint64_t>{101, 111, 121});
    CHECK(record.counters[1].columns.size() == 1);
    CHECK(record.counters[1].columns[0].values == std::vector<std::uint64_t>{100, 110, 120});
    REQUIRE(record.histograms.size() == 1);
    CHECK(record.histograms[0].counts == std::vector<std::uint64_t>{100, 102, 110, 112, 120, 122});
    CHECK(record.histograms[0].underflow == std::vector<std::uint64_t>{3, 3, 3});
    CHECK(record.histograms[0].overflow == std::vector<std::uint64_t>{4, 4, 4});
}

TEST_CASE("statistics are ordered by component, whatever rank they come from") {
    StatisticsCollector one;
    show_sm(one, "sm0", 100);
    show_sm(one, "sm1", 110);
    show_sm(one, "sm10", 120);
    check_result(record_of(one));

    StatisticsCollector first;
    StatisticsCollector second;
    show_sm(first, "sm10", 120);
    show_sm(second, "sm1", 110);
    show_sm(second, "sm0", 100);
    first.merge(second.to_bytes());
    check_result(record_of(first));
}

TEST_CASE("a component of no process, and components with different statistics, are internal errors") {
    StatisticsCollector stranger;
    show_sm(stranger, "gpu", 1);
    CHECK_THROWS_AS(record_of(stranger), InternalError);
    StatisticsCollector unequal;
    unequal.counter("sm0", "sm", kCycles, 1);
    unequal.counter("sm1", "sm", kHits, 1);
    CHECK_THROWS_AS(record_of(unequal), InternalError);
}

TEST_CASE("damaged bytes of another rank are an input error") {
    StatisticsCollector collector;
    show_sm(collector, "sm0", 1);
    const std::string bytes = collector.to_bytes();
    StatisticsCollector other;
    CHECK_THROWS_AS(other.merge(bytes.substr(0, bytes.size() / 2)), InputError);
}

}  // namespace
}  // namespace lookahead::statistics_collector_tests
