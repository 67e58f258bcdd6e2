#include <doctest/doctest.h>

#include <algorithm>

#include "core/component/catalogue.h"
#include "core/component/describe.h"
#include "core/component/reference.h"
#include "core/error/error.h"
#include "core/stats/statistics_registry.h"
#include "tests/core/component/example_slot.h"

namespace lookahead {
namespace {

struct DoorCounters {
    LOOKAHEAD_COUNTER(visitors, "visitor", "Visitors greeted.");
    LOOKAHEAD_ALL_DECLARED;
};

struct DoorParameters {
    LOOKAHEAD_PARAMETER(double, width, 0.9, {.min = 0, .unit = "m"}, {.help = "Width."});
    LOOKAHEAD_ALL_DECLARED;
};

LOOKAHEAD_REGISTER_PARAMETERS(DoorParameters, "door", "The front door.")
LOOKAHEAD_REGISTER_STATISTICS(DoorCounters, "door", "A door.")

[[maybe_unused]] const bool added = [] {
    add_slot({.name = "a.sign", .description = "Hangs at the door."});
    add_slot({.name = "z.bell", .description = "Rings."});
    add_variant({"a.sign", "brass", "A plate.", ""});
    add_variant({"a.sign", "paper", "A note.", ""});
    add_variant({"z.bell", "brass", "A bell.", ""});
    return true;
}();

TEST_CASE("a slot is described with its variants") {
    CHECK(describe("house.greeter") ==
          "slot house.greeter\n  Greets a visitor.\n  variants:\n    loud  Calls out.\n    quiet  Says hello once.\n");
}

TEST_CASE("pages have a table for each slot, prefix and kind") {
    CHECK(variants_page().find("## `house.greeter`\nGreets a visitor. Chosen by `-o house.greeter=NAME`.\n\n"
                               "| variant | what | source |\n|---|---|---|\n"
                               "| `loud` | Calls out. | Stentor, Iliad V |\n") != std::string::npos);
    CHECK(variants_page("house.greeter").find("loud") == std::string::npos);
    CHECK(parameters_page().find("| `door.width` | number, 0.0 or more | m | `0.9` | Width. |  |\n") !=
          std::string::npos);
    CHECK(statistics_page().find("## `door`\nA door.\n\n| statistic | unit | meaning |\n|---|---|---|\n"
                                 "| `door.visitors` | visitor | Visitors greeted. |\n") != std::string::npos);
}

TEST_CASE("a cell keeps what would end it or begin HTML") {
    CHECK(markdown_cell("a|b <c> `d<e|f`\ng") == "a\\|b &lt;c> `d<e\\|f` g");
}

TEST_CASE("a variant is described with its source and its parameters") {
    CHECK(describe("loud") ==
          "variant loud of slot house.greeter\n  Calls out.\n  source: Stentor, Iliad V\n"
          "  choose: -o house.greeter=loud\n  parameters:\n"
          "    loud.times = 2 call  (integer, 1 to 9)  Calls.\n");
}

TEST_CASE("a variant of a slot that a command chooses is described with that command") {
    const SlotChoice choices[] = {{.slot = "house.greeter", .command = "house visit"}};
    CHECK(describe("quiet", choices).find("  choose: house visit quiet\n") != std::string::npos);
    CHECK(describe("quiet").find("  choose: -o house.greeter=quiet\n") != std::string::npos);
}

TEST_CASE("a variant that another slot's brings is described behind it, with what brings it") {
    const SlotChoice choices[] = {{.slot = "a.sign", .brought_by = "z.bell"}};
    CHECK(describe("brass", choices) ==
          "variant brass of slot z.bell\n  A bell.\n  choose: -o z.bell=brass\n  brings: a.sign=brass\n"
          "\nvariant brass of slot a.sign\n  A plate.\n  choose: -o z.bell=brass, which brings it\n");
    CHECK(describe("paper", choices) == "variant paper of slot a.sign\n  A note.\n  choose: -o a.sign=paper\n");
    CHECK(describe("brass").starts_with("variant brass of slot a.sign\n  A plate.\n  choose: -o a.sign=brass\n"));
}

TEST_CASE("a parameter is described by its full key and by its bare name") {
    const std::string page =
        "parameter loud.times\n  Calls.\n  type:    integer, 1 to 9\n  unit:    call\n  default: 2\n"
        "  source:  A book.\n  of:      loud (Calls out.)\n";
    CHECK(describe("loud.times") == page);
    CHECK(describe("times") == page);
}

TEST_CASE("a statistic is described with its unit") {
    CHECK(describe("door.visitors") ==
          "statistic door.visitors\n  Visitors greeted.\n  unit: visitor\n  of:   door (A door.)\n");
}

TEST_CASE("a name with several meanings is described in all of them") {
    CHECK(describe("door") ==
          "parameters door\n  The front door.\n  parameters:\n"
          "    door.width = 0.9 m  (number, 0.0 or more)  Width.\n"
          "\nstatistics of kind door\n  A door.\n    door.visitors [visitor]  Visitors greeted.\n");
}

TEST_CASE("an unknown name brings the nearest one") {
    CHECK_THROWS_WITH_AS(describe("loud.tines"),
                         "nothing is named \"loud.tines\": did you mean loud.times?; `lookahead list` lists the "
                         "names",
                         ConfigurationError);
    CHECK(try_describe("zzzzzzz") == std::nullopt);
}

TEST_CASE("every describable name can be described") {
    const auto names = describable_names();
    CHECK(names.size() >= 9);
    for (const std::string& name : names) { CHECK_MESSAGE(try_describe(name).has_value(), name); }
}

TEST_CASE("the lists have one line for each thing") {
    const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
    CHECK(lines(list_variants()) == 8);
    CHECK(lines(list_variants("house.greeter")) == 5);
    CHECK(lines(list_parameters()) == 2);
    CHECK(lines(list_statistics()) == 1);
}

}  // namespace
}  // namespace lookahead
