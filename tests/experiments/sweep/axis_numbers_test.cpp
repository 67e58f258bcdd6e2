#include "experiments/sweep/axis_numbers.h"

#include <doctest/doctest.h>

#include <string>

namespace lookahead {
namespace {

Axis axis_of(const std::string& list) {
    return parse_study("workloads = [\"vecadd\"]\n[[axis]]\n" + list, "test", "test.toml").axes.front();
}

TEST_CASE("a text is a number from its first letter to its last") {
    CHECK(number_of("8") == 8);
    CHECK(number_of("-0.5") == -0.5);
    CHECK(number_of("2000e6") == 2e9);
    for (const char* text : {"", "8 ", " 8", "8x", "0x8", "nan", "inf", "1e999", "1,5", "eight"}) {
        CAPTURE(text);
        CHECK(!number_of(text));
    }
}

TEST_CASE("an axis is numeric if all its values are") {
    CHECK(is_numeric(axis_of("key = \"l1d.ways\"\nvalues = [4, \"8\"]")));
    CHECK(!is_numeric(axis_of("key = \"l1d.ways\"\nvalues = [4, \"best\"]")));
}

TEST_CASE("an axis has the unit of the key that its values are of") {
    CHECK(unit_of(axis_of("key = \"l1d.sector_bytes\"\nvalues = [32, 128]")) == "byte");
    CHECK(unit_of(axis_of("name = \"line\"\nkey = \"l1d.sector_bytes\"\nvalues = [32, 128]")) == "byte");
    CHECK(unit_of(axis_of("name = \"line\"\n[[axis.value]]\nname = \"32\"\noptions = [\"l1d.sector_bytes=32\"]")) ==
          "byte");
    CHECK(unit_of(axis_of("name = \"line\"\n[[axis.value]]\nname = \"32\"\noptions = [\"l1d.sector_bytes=128\"]"))
              .empty());
    CHECK(unit_of(axis_of("name = \"line\"\n[[axis.value]]\nname = \"32\"\n"
                          "options = [\"l1d.ways=8\", \"l1d.sector_bytes=32\"]"))
              .empty());
    CHECK(unit_of(axis_of("key = \"l1d.none\"\nvalues = [32, 128]")).empty());
}

}  // namespace
}  // namespace lookahead
