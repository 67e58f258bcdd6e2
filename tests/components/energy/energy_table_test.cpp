#include <doctest/doctest.h>

#include "components/energy/energy_table.h"
#include "core/error/error.h"
#include "tests/core/error/error_of.h"

namespace lookahead {
namespace {

const std::vector<StatisticsSetEntry> kStatistics{
    {"sm", "A multiprocessor.", {{"adds", "instruction", "Additions."}, {"cycles", "cycle", "Cycles."}}},
    {"dram", "A channel.", {{"reads", "request", "Reads."}}}};

std::string event(const std::string& members) {
    return "description = \"d\"\n[[event]]\ncomponent = \"core\"\nunit = \"adder\"\nsource = \"test\"\n" + members;
}

std::string static_power(const std::string& members) {
    return "description = \"d\"\n[[static]]\ncomponent = \"core\"\nunit = \"leakage\"\nsource = \"test\"\n" + members;
}

EnergyTable parse(const std::string& toml) {
    return parse_energy_table("example", toml, "t.toml", kStatistics);
}

std::string fault(const std::string& toml) {
    return test::error_of<ConfigurationError>([&] { parse(toml); });
}

TEST_CASE("a table has its entries in order, with its text") {
    const std::string toml = event("counter = \"sm.adds\"\njoules = 2e-12\n") +
                             "[[event]]\ncomponent = \"memory\"\nunit = \"pins\"\nsource = \"s\"\n"
                             "counter = \"dram.reads\"\njoules = 1\n"
                             "[[static]]\ncomponent = \"core\"\nunit = \"leakage\"\nsource = \"s\"\n"
                             "per = \"sm\"\nwatts = 1.5\n"
                             "[[static]]\ncomponent = \"board\"\nunit = \"fan\"\nsource = \"s\"\nper = \"gpu\"\n"
                             "watts = 3\n";
    const EnergyTable table = parse(toml);
    CHECK(table.name == "example");
    CHECK(table.description == "d");
    CHECK(table.toml == toml);
    REQUIRE(table.events.size() == 2);
    CHECK(table.events[0].counter == "sm.adds");
    CHECK(table.events[0].joules == 2e-12);
    CHECK(table.events[0].source == "test");
    CHECK(table.events[1].component == "memory");
    CHECK(table.events[1].joules == 1.0);
    REQUIRE(table.statics.size() == 2);
    CHECK(table.statics[0].watts == 1.5);
    CHECK(table.statics[1].per == "gpu");
}

TEST_CASE("an unknown counter or kind is refused by name, with its line") {
    CHECK(fault(event("counter = \"sm.ads\"\njoules = 1\n")) ==
          "t.toml:6: unknown counter 'sm.ads': did you mean sm.adds?; 'lookahead list statistics' shows them");
    CHECK(fault(event("counter = \"adds\"\njoules = 1\n")).find("unknown counter 'adds'") != std::string::npos);
    CHECK(fault(static_power("per = \"zzz\"\nwatts = 1\n")) ==
          "t.toml:6: unknown kind of component 'zzz'; 'lookahead list statistics' shows them");
}

TEST_CASE("amounts that cannot be are refused") {
    for (const char* amount : {"-1e-12", "nan", "inf", "\"much\"", "true"}) {
        CAPTURE(amount);
        CHECK(fault(event(std::string("counter = \"sm.adds\"\njoules = ") + amount + "\n")) ==
              "t.toml:7: joules must be a number that is not negative");
    }
    CHECK(fault(static_power("per = \"gpu\"\nwatts = -1\n")) ==
          "t.toml:7: watts must be a number that is not negative");
}

TEST_CASE("what another event counts too may be said to be spared") {
    const auto joules = [&](const std::string& spared) {
        return parse(event("counter = \"sm.adds\"\njoules = 2\n" + spared)).events.at(0).joules;
    };
    CHECK(joules("") == 2);
    CHECK(joules("spared = false\n") == 2);
    CHECK(joules("spared = true\n") == -2);
    CHECK(fault(event("counter = \"sm.adds\"\njoules = 2\nspared = 1\n")) == "t.toml:8: spared must be true or false");
}

TEST_CASE("what is missing, unknown or no table at all is refused") {
    CHECK(fault(event("joules = 1\n")) == "t.toml:2: counter must be a text");
    CHECK(fault(event("counter = \"sm.adds\"\n")) == "t.toml:2: joules must be a number that is not negative");
    CHECK(fault(event("counter = \"sm.adds\"\njoules = 1\njuoles = 2\n")) ==
          "t.toml:8: unknown member 'juoles': did you mean joules?");
    CHECK(fault("description = \"d\"\nevents = 1\n").find("t.toml:2: unknown member 'events'") == 0);
    CHECK(fault("description = \"d\"\nevent = 1\n") == "t.toml:2: event is not a list; write [[event]]");
    CHECK(fault("event = []\n").find("description must be a text") != std::string::npos);
    CHECK(fault("description = \n").find("t.toml:1: ") == 0);
}

}  // namespace
}  // namespace lookahead
