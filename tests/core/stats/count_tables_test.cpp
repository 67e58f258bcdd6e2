#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/state/archives.h"
#include "core/stats/count_tables.h"

namespace lookahead::count_tables_tests {
namespace {

struct PlaceCounters {
    LOOKAHEAD_COUNTER(visits, "visit", "Visits of the place.");
    LOOKAHEAD_COUNTERS(waits, 2, {"red", "cycle", "Waits at red."}, {"amber", "cycle", "Waits at amber."});
    LOOKAHEAD_ALL_DECLARED;
};

constexpr std::size_t kVisits = 0, kRed = 1, kAmber = 2;

/// Copies of the tables of a visit.
class Tables final : public StatisticsVisitor {
  public:
    using Counts = std::map<std::pair<std::string, std::uint64_t>, std::vector<std::uint64_t>>;

    static Counts of(const CountTables<PlaceCounters>& tables) {
        Tables visitor;
        tables.visit(visitor, "place");
        return visitor.counts;
    }

    void counter(std::string_view, std::string_view, const StatisticDescription&, const std::uint64_t&) override {
        FAIL("a table is no counter");
    }
    void table(const CountTableView& view) override {
        names.clear();
        for (const StatisticDescription& what : view.counters) { names.emplace_back(what.name); }
        counts[{std::string(view.kind), view.key}] = {view.counts.begin(), view.counts.end()};
    }

    std::vector<std::string> names;
    Counts counts;
};

CountTables<PlaceCounters> example() {
    CountTables<PlaceCounters> tables;
    tables.choose(7, 2);
    tables.add(1, kVisits, 3);
    tables.add(1, kAmber, 5);
    tables.choose(2, 1);
    tables.add(0, kVisits, 1);
    tables.choose(7, 2);
    tables.add(0, kRed, 1);
    return tables;
}

TEST_CASE("counts stay with their table and row when another table is chosen") {
    const Tables::Counts expected{{{"place", 2}, {1, 0, 0}}, {{"place", 7}, {0, 1, 0, 3, 0, 5}}};
    CHECK(Tables::of(example()) == expected);
    Tables visitor;
    example().visit(visitor, "place");
    CHECK(visitor.names == std::vector<std::string>{"visits", "red", "amber"});
    const PlaceCounters totals = example().totals();
    CHECK(totals.visits == 4);
    CHECK(totals.waits == std::array<std::uint64_t, 2>{1, 5});
}

TEST_CASE("a count may exceed 32 bits, step by step or at once, and is saved with what exceeds them") {
    CountTables<PlaceCounters> tables;
    tables.choose(1, 2);
    tables.add(1, kRed, UINT32_MAX);
    CHECK(Tables::of(tables).at({"place", 1})[4] == UINT32_MAX);
    tables.add(1, kRed, 1);
    CHECK(Tables::of(tables).at({"place", 1})[4] == std::uint64_t{1} << 32);
    tables.add(1, kAmber, 5'000'000'000'000);
    tables.add(1, kAmber, 5'000'000'000'000);
    CHECK(tables.totals().waits == std::array<std::uint64_t, 2>{std::uint64_t{1} << 32, 10'000'000'000'000});
    CountTables<PlaceCounters> loaded;
    load_state(loaded, saved_state(tables));
    CHECK(Tables::of(loaded) == Tables::of(tables));
    loaded.choose(1, 2);
    loaded.add(1, kRed, UINT32_MAX);
    CHECK(loaded.totals().waits[0] == (std::uint64_t{1} << 32) + UINT32_MAX);
}

TEST_CASE("a table in which nothing was counted is not there") {
    CountTables<PlaceCounters> tables = example();
    tables.choose(3, 5);
    CHECK(Tables::of(tables) == Tables::of(example()));
    tables.add(4, kVisits, 1);
    CHECK(Tables::of(tables).size() == 3);
}

TEST_CASE("a table has the rows with which it was chosen") {
    CountTables<PlaceCounters> tables;
    CHECK(!tables.has(0));
    tables.choose(1, 2);
    CHECK(tables.has(1));
    CHECK(!tables.has(2));
}

TEST_CASE("loaded tables have the saved counts, and go on in the chosen one") {
    CountTables<PlaceCounters> saved = example();
    const std::string bytes = saved_state(saved);
    CountTables<PlaceCounters> loaded;
    loaded.choose(9, 4);
    loaded.choose(7, 2);
    load_state(loaded, bytes);
    CHECK(Tables::of(loaded) == Tables::of(saved));
    loaded.add(1, kVisits, 1);
    CHECK(Tables::of(loaded).at({"place", 7}) == std::vector<std::uint64_t>{0, 1, 0, 4, 0, 5});
    CHECK(hash_of_state(saved) != hash_of_state(loaded));
}

}  // namespace
}  // namespace lookahead::count_tables_tests
