#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "core/error/error.h"
#include "core/param/configuration.h"
#include "core/param/parameter_registry.h"
#include "tests/core/error/error_of.h"

namespace lookahead {
namespace {

struct CacheParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, sets, 32, {1, 4096}, {.help = "Sets."});
    LOOKAHEAD_PARAMETER(std::int32_t, ways, 4, {1, 64, "line"}, {.help = "Lines in a set."});
    LOOKAHEAD_PARAMETER(bool, sectored, false, {.help = "Lines have sectors."});
    LOOKAHEAD_PARAMETER(double, frequency, 700e6, {1, 1e12, "Hz"}, {.help = "Clock."});
    LOOKAHEAD_PARAMETER(std::string, replacement, "lru", {"lru", "fifo"}, {.help = "Policy."});
    LOOKAHEAD_PARAMETER(std::string, label, "none", {.help = "A name."});
    LOOKAHEAD_ALL_DECLARED;
};

struct PrefetcherParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, threshold, 128, {.min = 1}, {.help = "Misses before it gives up."});
    LOOKAHEAD_ALL_DECLARED;
};

LOOKAHEAD_REGISTER_PARAMETERS(PrefetcherParameters, "caps", "A prefetcher.")

std::string error_of(const std::function<void()>& action) {
    return test::error_of<ConfigurationError>(action);
}

std::string read_error(const std::string& toml) {
    return error_of([&] { Configuration::from_toml(toml, "m.toml").read<CacheParameters>("l1d"); });
}

std::string override_error(const std::string& override_text) {
    return error_of([&] {
        Configuration configuration;
        configuration.override_value(override_text);
        configuration.read<CacheParameters>("l1d");
        configuration.check_all_used();
    });
}

TEST_CASE("a key that is not set has its default") {
    const auto cache = Configuration().read<CacheParameters>("l1d");
    CHECK(cache.sets == 32);
    CHECK(cache.ways == 4);
    CHECK_FALSE(cache.sectored);
    CHECK(cache.frequency == 700e6);
    CHECK(cache.replacement == "lru");
}

TEST_CASE("tables nest into dotted keys") {
    const auto configuration = Configuration::from_toml(
        "[l1d]\nways = 8\nsectored = true\nfrequency = 7e8\nreplacement = \"fifo\"\n[sm.l1d]\nsets = 64\n", "m.toml");
    const auto cache = configuration.read<CacheParameters>("l1d");
    CHECK(cache.ways == 8);
    CHECK(cache.sectored);
    CHECK(cache.frequency == 7e8);
    CHECK(cache.replacement == "fifo");
    CHECK(configuration.read<CacheParameters>("sm.l1d").sets == 64);
    CHECK_NOTHROW(configuration.check_all_used());
}

TEST_CASE("an integer is a number, but a number is no integer") {
    CHECK(Configuration::from_toml("l1d.frequency = 5", "m.toml").read<CacheParameters>("l1d").frequency == 5.0);
    CHECK(read_error("[l1d]\nways = 4.0\n") ==
          "m.toml:2:8: l1d.ways = 4.0 is a number; expected: integer, 1 to 64 (unit: line)");
}

TEST_CASE("a wrong type is named with its place and what was expected") {
    CHECK(read_error("\n[l1d]\n  ways = \"four\"\n") ==
          "m.toml:3:10: l1d.ways = \"four\" is a text; expected: integer, 1 to 64 (unit: line)");
    CHECK(read_error("l1d.sectored = 1") ==
          "m.toml:1:16: l1d.sectored = 1 is an integer; expected: switch (true or false)");
    CHECK(read_error("l1d.replacement = 3") ==
          "m.toml:1:19: l1d.replacement = 3 is an integer; expected: one of lru, fifo");
    CHECK(read_error("l1d.ways = [1, 2]") ==
          "m.toml:1:12: l1d.ways is of type array; a key holds one number, switch (true or false) or text");
}

TEST_CASE("the values on a bound are accepted and those beyond it are refused") {
    const auto ways = [](int value) {
        return Configuration::from_toml("l1d.ways = " + std::to_string(value), "m.toml")
            .read<CacheParameters>("l1d")
            .ways;
    };
    CHECK(ways(1) == 1);
    CHECK(ways(64) == 64);
    CHECK(read_error("l1d.ways = 0") ==
          "m.toml:1:12: l1d.ways = 0 is out of range; expected: integer, 1 to 64 (unit: line)");
    CHECK(read_error("l1d.ways = 65") ==
          "m.toml:1:12: l1d.ways = 65 is out of range; expected: integer, 1 to 64 (unit: line)");
    CHECK(read_error("l1d.frequency = nan").find("out of range") != std::string::npos);
    CHECK(read_error("l1d.frequency = 0.5").find("out of range") != std::string::npos);
    CHECK(read_error("l1d.replacement = \"lur\"") ==
          "m.toml:1:19: l1d.replacement = \"lur\" is out of range: did you mean lru?; expected: one of lru, fifo");
}

TEST_CASE("a file that is no TOML is an input error with its place, and a key with odd letters a wrong configuration") {
    const auto read = [](const char* toml) { Configuration::from_toml(toml, "m.toml"); };
    CHECK_THROWS_WITH_AS(read("[l1d]\nways = = 4\n"), doctest::Contains("m.toml:2:8: "), InputError);
    CHECK_THROWS_WITH_AS(read("[l1d]\nways = 4\nways = 5\n"), doctest::Contains("m.toml:3:"), InputError);
    CHECK(read_error("\"l1d.ways\" = 4").find("letters, digits") != std::string::npos);
}

TEST_CASE("an override wins over the file and is named in errors") {
    auto configuration = Configuration::from_toml("l1d.ways = 8\nl1d.sets = 64", "m.toml");
    configuration.override_value("l1d.ways=16");
    configuration.override_value("l1d.replacement=fifo");
    configuration.override_value("l1d.label=\"two words\"");
    const auto cache = configuration.read<CacheParameters>("l1d");
    CHECK(cache.ways == 16);
    CHECK(cache.sets == 64);
    CHECK(cache.replacement == "fifo");
    CHECK(cache.label == "two words");
    CHECK(override_error("l1d.ways=0") ==
          "override \"l1d.ways=0\": l1d.ways = 0 is out of range; expected: integer, 1 to 64 (unit: line)");
    CHECK(override_error("l1d.ways=8x") ==
          "override \"l1d.ways=8x\": l1d.ways = \"8x\" is a text; expected: integer, 1 to 64 (unit: line)");
}

TEST_CASE("an override of a text may look like a number, a date or a broken value") {
    for (const std::string label : {"12", "2024-01-01", "true", "a=b", "[x", "x\ny = 3"}) {
        Configuration configuration;
        configuration.override_value("l1d.label=" + label);
        CHECK(configuration.read<CacheParameters>("l1d").label == label);
    }
}

TEST_CASE("an override that is no key=value is refused") {
    for (const std::string text : {"l1d.ways", "=3", "l1d..ways=3", "l1d.=3", "l1 d=3", ""}) {
        CHECK(override_error(text) == "override \"" + text + "\": expected key=value, as in l1d.ways=8");
    }
}

TEST_CASE("an unknown key is refused with its place and the nearest known key") {
    const auto error = [](const std::string& toml) {
        return error_of([&] {
            const auto configuration = Configuration::from_toml(toml, "m.toml");
            configuration.read<CacheParameters>("l1d");
            configuration.variant("sm.warp_scheduler", "gto");
            configuration.check_all_used();
        });
    };
    CHECK(error("[l1d]\nways = 4\nsetz = 3\n") == "m.toml:3:8: unknown key l1d.setz: did you mean l1d.sets?");
    CHECK(error("sm.warp_schedular = \"gto\"") ==
          "m.toml:1:21: unknown key sm.warp_schedular: did you mean sm.warp_scheduler?");
    CHECK(error("utterly.different = 1") == "m.toml:1:21: unknown key utterly.different");
    CHECK(override_error("l1d.wayz=3") == "override \"l1d.wayz=3\": unknown key l1d.wayz: did you mean l1d.ways?");
}

TEST_CASE("parameters of a set that is not in use are allowed in a file, checked, and refused as overrides") {
    auto configuration = Configuration::from_toml("caps.threshold = 64", "m.toml");
    CHECK_NOTHROW(configuration.check_all_used());
    CHECK(configuration.effective_entries().empty());
    CHECK(error_of([] { Configuration::from_toml("caps.threshold = 0", "m.toml").check_all_used(); }) ==
          "m.toml:1:18: caps.threshold = 0 is out of range; expected: integer, 1 or more");
    configuration.override_value("caps.threshold=64");
    CHECK(error_of([&] { configuration.check_all_used(); }) ==
          "override \"caps.threshold=64\": caps.threshold has no effect: nothing in this configuration uses "
          "\"caps\" (A prefetcher.)");
    configuration.read<PrefetcherParameters>("caps");
    CHECK_NOTHROW(configuration.check_all_used());
}

TEST_CASE("a slot's variant comes from the key or the default") {
    auto configuration = Configuration::from_toml("sm.warp_scheduler = \"lrr\"", "m.toml");
    CHECK(configuration.variant("sm.warp_scheduler", "gto") == "lrr");
    CHECK(configuration.variant("l1d.prefetcher", "none") == "none");
    CHECK(configuration.place_of("sm.warp_scheduler") == "m.toml:1:21");
    CHECK(configuration.place_of("l1d.prefetcher") == "default");
    CHECK(error_of([] { Configuration::from_toml("a.b = 3", "m.toml").variant("a.b", "x"); }) ==
          "m.toml:1:7: a.b = 3 is an integer; expected: text");
}

TEST_CASE("a file inherits what it does not set itself") {
    const auto base = Configuration::from_toml("[l1d]\nways = 8\nsets = 64\n", "base.toml");
    auto derived = Configuration::from_toml("inherits = \"base\"\n[l1d]\nways = 2\n", "derived.toml");
    CHECK(derived.take_text("inherits") == "base");
    CHECK(derived.take_text("inherits") == std::nullopt);
    derived.inherit(base);
    const auto cache = derived.read<CacheParameters>("l1d");
    CHECK(cache.ways == 2);
    CHECK(cache.sets == 64);
    CHECK(derived.place_of("l1d.sets") == "base.toml:3:8");
    CHECK_NOTHROW(derived.check_all_used());
    CHECK(error_of([] { Configuration::from_toml("inherits = 3", "m.toml").take_text("inherits"); }) ==
          "m.toml:1:12: inherits = 3 is an integer; expected: text");
}

TEST_CASE("the effective configuration has every key that was read, with its source") {
    auto configuration = Configuration::from_toml("[l1d]\nways = 8\n", "m.toml");
    configuration.override_value("l1d.sets=16");
    configuration.read<CacheParameters>("l1d");
    const auto entries = configuration.effective_entries();
    REQUIRE(entries.size() == 6);
    CHECK(std::is_sorted(entries.begin(), entries.end(), [](auto& a, auto& b) { return a.key < b.key; }));
    const auto source = [&](const std::string& key) {
        return std::find_if(entries.begin(), entries.end(), [&](auto& entry) { return entry.key == key; })->source;
    };
    CHECK(source("l1d.ways") == "m.toml:2");
    CHECK(source("l1d.sets") == "override");
    CHECK(source("l1d.frequency") == "default");
}

TEST_CASE("the effective TOML reads back to the same configuration") {
    auto first = Configuration::from_toml("[l1d]\nways = 8\nlabel = \"a # \\\"b\\\"\"\n", "m.toml");
    first.read<CacheParameters>("l1d");
    first.read<CacheParameters>("l1d.inner");
    first.read<PrefetcherParameters>("");
    first.variant("sm.warp_scheduler", "gto");
    const std::string text = first.effective_toml();
    auto second = Configuration::from_toml(text, "effective.toml");
    second.read<CacheParameters>("l1d");
    second.read<CacheParameters>("l1d.inner");
    second.read<PrefetcherParameters>("");
    second.variant("sm.warp_scheduler", "other");
    CHECK_NOTHROW(second.check_all_used());
    CHECK(second.effective_hash() == first.effective_hash());
    CHECK(text.find("ways = 8  # line; m.toml:2\n") != std::string::npos);
}

TEST_CASE("the hash of the configuration depends on keys and values, not on where they come from") {
    const auto hash_of = [](const std::string& toml, const std::string& override_text) {
        auto configuration = Configuration::from_toml(toml, "m.toml");
        if (!override_text.empty()) { configuration.override_value(override_text); }
        configuration.read<CacheParameters>("l1d");
        return configuration.effective_hash();
    };
    CHECK(hash_of("", "") == hash_of("l1d.ways = 4", ""));
    CHECK(hash_of("", "") == hash_of("l1d.ways = 8", "l1d.ways=4"));
    CHECK(hash_of("", "") != hash_of("l1d.ways = 8", ""));
    CHECK(hash_of("l1d.label = \"4\"", "") != hash_of("", ""));
}

TEST_CASE("a configuration travels to another rank with its places") {
    auto sent =
        Configuration::from_toml("[l1d]\nways = 8\nfrequency = 1.1\nsectored = true\nlabel = \"x\"\n", "m.toml");
    sent.override_value("l1d.sets=16");
    const auto received = Configuration::from_bytes(sent.to_bytes());
    const auto cache = received.read<CacheParameters>("l1d");
    CHECK(cache.ways == 8);
    CHECK(cache.sets == 16);
    CHECK(cache.frequency == 1.1);
    CHECK(cache.sectored);
    CHECK(cache.label == "x");
    CHECK(received.place_of("l1d.ways") == "m.toml:2:8");
    CHECK(received.place_of("l1d.sets") == "override \"l1d.sets=16\"");
    sent.read<CacheParameters>("l1d");
    CHECK(received.effective_hash() == sent.effective_hash());
}

TEST_CASE("a copy of a configuration is independent of the original") {
    const auto original = Configuration::from_toml("l1d.ways = 8", "m.toml");
    Configuration copy = original;
    copy.override_value("l1d.ways=2");
    CHECK(original.read<CacheParameters>("l1d").ways == 8);
    CHECK(copy.read<CacheParameters>("l1d").ways == 2);
}

}  // namespace
}  // namespace lookahead
