#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/error/error.h"
#include "core/param/parameters.h"

namespace lookahead {
namespace {

struct Sample {
    std::uint8_t small = 3;
    std::int64_t large = -5;
    std::uint64_t huge = 1;
    double ratio = 0.5;
    std::string policy = "lru";
};

TEST_CASE("a default is the member's initialiser") {
    const auto list = parameter_list<Sample>(parameter("small", &Sample::small, {}, {.help = "Small."}),
                                             parameter("ratio", &Sample::ratio, {}, {.help = "Ratio."}),
                                             parameter("policy", &Sample::policy, {.help = "Policy."}));
    CHECK(list[0].default_value == ParameterValue(std::int64_t{3}));
    CHECK(list[1].default_value == ParameterValue(0.5));
    CHECK(list[2].default_value == ParameterValue(std::string("lru")));
}

TEST_CASE("an integer's bounds are the narrower of the declared ones and its type's") {
    const auto list = parameter_list<Sample>(parameter("small", &Sample::small, {-7, 1000}, {.help = "Small."}),
                                             parameter("large", &Sample::large, {-9, 9}, {.help = "Large."}),
                                             parameter("huge", &Sample::huge, {}, {.help = "Huge."}));
    CHECK(list[0].integer_min == 0);
    CHECK(list[0].integer_max == 255);
    CHECK(list[1].integer_min == -9);
    CHECK(list[1].integer_max == 9);
    CHECK(list[2].integer_min == 0);
    CHECK(list[2].integer_max == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("each bound is tested from both sides") {
    const auto list =
        parameter_list<Sample>(parameter("large", &Sample::large, {-9, 9}, {.help = "Large."}),
                               parameter("ratio", &Sample::ratio, {0, 1}, {.help = "Ratio."}),
                               parameter("policy", &Sample::policy, {"lru", "fifo"}, {.help = "Policy."}));
    for (const std::int64_t inside : {-9, 0, 9}) { CHECK(list[0].accepts_range(inside)); }
    CHECK_FALSE(list[0].accepts_range(std::int64_t{-10}));
    CHECK_FALSE(list[0].accepts_range(std::int64_t{10}));
    CHECK(list[1].accepts_range(0.0));
    CHECK(list[1].accepts_range(1.0));
    CHECK_FALSE(list[1].accepts_range(std::nextafter(0.0, -1.0)));
    CHECK_FALSE(list[1].accepts_range(std::nextafter(1.0, 2.0)));
    CHECK(list[2].accepts_range(std::string("fifo")));
    CHECK_FALSE(list[2].accepts_range(std::string("Fifo")));
}

TEST_CASE("infinity and not-a-number are no values, even without bounds") {
    const auto list = parameter_list<Sample>(parameter("ratio", &Sample::ratio, {}, {.help = "Ratio."}));
    CHECK_FALSE(list[0].accepts_range(std::numeric_limits<double>::infinity()));
    CHECK_FALSE(list[0].accepts_range(std::numeric_limits<double>::quiet_NaN()));
}

TEST_CASE("a faulty declaration is an internal error") {
    CHECK_THROWS_AS(parameter_list<Sample>(parameter("small", &Sample::small, {}, {.help = "Small."}),
                                           parameter("small", &Sample::large, {}, {.help = "Large."})),
                    InternalError);
    CHECK_THROWS_AS(parameter_list<Sample>(parameter("small", &Sample::small, {}, {})), InternalError);
    CHECK_THROWS_AS(parameter_list<Sample>(parameter("small", &Sample::small, {.min = 4}, {.help = "Small."})),
                    InternalError);
    CHECK_THROWS_AS(
        parameter_list<Sample>(parameter("policy", &Sample::policy, {"fifo", "random"}, {.help = "Policy."})),
        InternalError);
}

TEST_CASE("ranges read well") {
    const auto list =
        parameter_list<Sample>(parameter("large", &Sample::large, {-9, 9}, {.help = "Large."}),
                               parameter("ratio", &Sample::ratio, {.min = 0}, {.help = "Ratio."}),
                               parameter("policy", &Sample::policy, {"lru", "fifo"}, {.help = "Policy."}));
    CHECK(list[0].values_text() == "integer, -9 to 9");
    CHECK(list[1].values_text() == "number, 0.0 or more");
    CHECK(list[2].values_text() == "one of lru, fifo");
}

TEST_CASE("values are written as TOML reads them") {
    CHECK(to_toml(true) == "true");
    CHECK(to_toml(std::int64_t{-42}) == "-42");
    CHECK(to_toml(700e6) == "700000000.0");
    CHECK(to_toml(0.1) == "0.1");
    CHECK(to_toml(1e300) == "1e+300");
    CHECK(to_toml(std::string("a \"b\" \\ \n\x01")) == "\"a \\\"b\\\" \\\\ \\n\\u0001\"");
}

}  // namespace
}  // namespace lookahead
