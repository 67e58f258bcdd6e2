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

constexpr StatisticDescription kPlaceCounters[]{{"issued", "instruction", "Issues."}, {"waits", "cycle", "Waits."}};
constexpr StatisticDescription kAccessCounters[]{{"lines", "access", "Lines."}};

void show_tables(StatisticsCollector& collector, std::uint64_t kernel, const std::vector<std::uint64_t>& places,
                 const std::vector<std::uint64_t>& accesses) {
    collector.table({"place", kernel, kPlaceCounters, places});
    collector.table({"access", kernel, kAccessCounters, accesses});
}

TEST_CASE("tables of components and ranks add up, kinds beside each other") {
    StatisticsCollector first;
    show_tables(first, 4, {1, 2, 3, 4}, {5, 6});
    show_tables(first, 4, {10, 20, 30, 40}, {50, 60});
    StatisticsCollector second;
    show_tables(second, 1, {7, 8}, {9});
    show_tables(second, 4, {100, 200, 300, 400}, {500, 600});
    first.merge(second.to_bytes());
    const InstructionCounts counts = record_of(first).instructions;
    std::vector<std::string> names;
    for (const auto& counter : counts.counters) { names.push_back(counter.name + " " + counter.unit); }
    CHECK(names == std::vector<std::string>{"lines access", "issued instruction", "waits cycle"});
    std::vector<std::pair<std::uint64_t, std::uint64_t>> rows;
    for (const auto& row : counts.rows) { rows.emplace_back(row.kernel, row.number); }
    CHECK(rows == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 0}, {4, 0}, {4, 1}});
    CHECK(counts.values == std::vector<std::uint64_t>{9, 7, 8, 555, 111, 222, 666, 333, 444});
}

TEST_CASE("a kind that has nothing of a kernel has zeros") {
    StatisticsCollector collector;
    show_tables(collector, 4, {1, 2}, {5});
    collector.table({"place", 2, kPlaceCounters, std::vector<std::uint64_t>{3, 4}});
    CHECK(record_of(collector).instructions.values == std::vector<std::uint64_t>{0, 3, 4, 5, 1, 2});
}

TEST_CASE("tables of other rows are an internal error") {
    StatisticsCollector collector;
    show_tables(collector, 4, {1, 2, 3, 4}, {5});
    CHECK_THROWS_AS(record_of(collector), InternalError);
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
