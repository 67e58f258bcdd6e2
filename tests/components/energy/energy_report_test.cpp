#include <doctest/doctest.h>

#include "components/energy/energy_report.h"

namespace lookahead {
namespace {

EnergyTable example_table() {
    EnergyTable table;
    table.name = "example";
    table.events = {{"core", "adder", "sm.adds", 2e-12, "test"},
                    {"memory", "pins", "dram.reads", 5e-9, "test"},
                    {"core", "multiplier", "sm.multiplies", 3e-12, "test"}};
    table.statics = {{"core", "leakage", "sm", 1.5, "test"}, {"board", "fan", "gpu", 10, "test"}};
    return table;
}

EnergyInput example_input() {
    return {{{"sm.adds", 1000}, {"sm.multiplies", 10}, {"dram.reads", 7}}, {{"sm", 4}}, 2'000'000'000};
}

TEST_CASE("dynamic energy is counts times joules, gathered by component in the table's order") {
    const EnergyReport report = energy_of(example_table(), example_input());
    REQUIRE(report.components.size() == 3);
    CHECK(report.components[0].name == "core");
    CHECK(report.components[0].dynamic_j == doctest::Approx(2.03e-9));
    CHECK(report.components[1].name == "memory");
    CHECK(report.components[1].dynamic_j == doctest::Approx(35e-9));
    CHECK(report.components[2].name == "board");
    CHECK(report.components[2].dynamic_j == 0);
    CHECK(report.events[1].count == 7);
    CHECK(report.dynamic_j == doctest::Approx(37.03e-9));
}

TEST_CASE("dynamic energy is linear in the counts and knows no time") {
    EnergyInput input = example_input();
    const EnergyReport once = energy_of(example_table(), input);
    for (auto& [name, count] : input.counts) { count *= 2; }
    input.busy_fs *= 3;
    const EnergyReport twice = energy_of(example_table(), input);
    // Doubling is exact in binary floating point, and so are sums of doubled terms.
    CHECK(twice.dynamic_j == 2 * once.dynamic_j);
    CHECK(twice.components[0].dynamic_j == 2 * once.components[0].dynamic_j);
}

TEST_CASE("static energy scales with time and instances and knows no counts") {
    EnergyInput input = example_input();
    const EnergyReport report = energy_of(example_table(), input);
    CHECK(report.components[0].static_j == doctest::Approx(4 * 1.5 * 2e-6));
    CHECK(report.components[2].static_j == doctest::Approx(10 * 2e-6));
    CHECK(report.static_j == doctest::Approx(32e-6));
    input.busy_fs *= 2;
    input.counts.clear();
    const EnergyReport longer = energy_of(example_table(), input);
    CHECK(longer.static_j == doctest::Approx(2 * report.static_j).epsilon(1e-15));
    CHECK(longer.dynamic_j == 0);
    input.instances["sm"] = 8;
    CHECK(energy_of(example_table(), input).components[0].static_j == 2 * longer.components[0].static_j);
}

TEST_CASE("totals, average power and energy-delay product belong together") {
    const EnergyReport report = energy_of(example_table(), example_input());
    CHECK(report.total_j == report.dynamic_j + report.static_j);
    CHECK(report.average_w == doctest::Approx(report.total_j / 2e-6));
    CHECK(report.energy_delay_js == doctest::Approx(report.total_j * 2e-6));
}

TEST_CASE("parts that a machine does not have, and runs without a kernel, cost nothing") {
    const EnergyReport report = energy_of(example_table(), {});
    CHECK(report.total_j == 0);
    CHECK(report.average_w == 0);
    CHECK(report.statics[0].instances == 0);
    CHECK(report.components.size() == 3);
}

}  // namespace
}  // namespace lookahead
