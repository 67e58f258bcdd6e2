#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "core/error/error.h"
#include "experiments/machines/machines.h"
#include "tests/core/error/error_of.h"
#include "tests/core/hdf5/temporary_folder.h"

namespace lookahead {
namespace {

struct CacheParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, ways, 4, {.min = 1}, {.help = "Lines in a set."});
    LOOKAHEAD_PARAMETER(std::int64_t, sets, 32, {.min = 1}, {.help = "Sets."});
    LOOKAHEAD_PARAMETER(std::int64_t, mshrs, 8, {.min = 1}, {.help = "Misses."});
    LOOKAHEAD_ALL_DECLARED;
};

void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
}

template <class Expected>
std::string error_of(const std::string& machine) {
    return test::error_of<Expected>([&] { load_machine(machine); });
}

TEST_CASE("every built-in machine loads and has a description") {
    CHECK(built_in_machines().size() >= 1);
    for (const BuiltInMachine& machine : built_in_machines()) {
        CHECK_NOTHROW(load_machine(std::string(machine.name)));
        CHECK_FALSE(machine.description.empty());
    }
}

TEST_CASE("an unknown machine brings the nearest one") {
    CHECK(error_of<ConfigurationError>("gtx48") ==
          "unknown machine 'gtx48': did you mean gtx480?; 'lookahead list machines' shows them, and a machine file's "
          "name ends in .toml");
}

TEST_CASE("keys_of takes the keys that another file sets, and not those that it inherits") {
    const TemporaryFolder folder;
    write(folder.file("base.toml"), "[l1d]\nways = 1\nsets = 1\nmshrs = 1\n");
    write(folder.file("other.toml"), "[l1d]\nways = 5\nsets = 5\nmshrs = 5\n");
    write(folder.file("table.toml"), "description = \"Table.\"\ninherits = \"base.toml\"\n[l1d]\nways = 2\nsets = 2\n");
    write(folder.file("top.toml"), "inherits = \"other.toml\"\nkeys_of = \"table.toml\"\nl1d.ways = 3\n");
    const Configuration machine = load_machine(folder.file("top.toml"));
    const auto cache = machine.read<CacheParameters>("l1d");
    CHECK(cache.ways == 3);
    CHECK(cache.sets == 2);
    CHECK(cache.mshrs == 5);
    CHECK_NOTHROW(machine.check_all_used());
    write(folder.file("again.toml"), "keys_of = \"top.toml\"\n");
    const auto again = load_machine(folder.file("again.toml")).read<CacheParameters>("l1d");
    CHECK(again.ways == 3);
    CHECK(again.sets == 2);
    CHECK(again.mshrs == 8);
    write(folder.file("endless.toml"), "keys_of = \"endless.toml\"\n");
    CHECK(error_of<ConfigurationError>(folder.file("endless.toml")) ==
          folder.file("endless.toml") + ":1:11: the machines inherit from each other endlessly");
    write(folder.file("lost.toml"), "keys_of = \"nowhere.toml\"\n");
    CHECK(error_of<InputError>(folder.file("lost.toml")) ==
          folder.file("lost.toml") + ":1:11: " + folder.file("nowhere.toml") + ": the machine file cannot be read");
}

TEST_CASE("a file inherits along a chain, and the nearest value wins") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.file("inner"));
    write(folder.file("base.toml"), "description = \"Base.\"\n[l1d]\nways = 1\nsets = 1\nmshrs = 1\n");
    write(folder.file("middle.toml"), "inherits = \"base.toml\"\n[l1d]\nways = 2\nsets = 2\n");
    write(folder.file("inner/top.toml"), "inherits = \"../middle.toml\"\nl1d.ways = 3\n");
    const Configuration machine = load_machine(folder.file("inner/top.toml"));
    const auto cache = machine.read<CacheParameters>("l1d");
    CHECK(cache.ways == 3);
    CHECK(cache.sets == 2);
    CHECK(cache.mshrs == 1);
    CHECK_NOTHROW(machine.check_all_used());
    CHECK(machine.place_of("l1d.ways") == folder.file("inner/top.toml") + ":2:12");
}

TEST_CASE("a file inherits from a built-in machine") {
    const TemporaryFolder folder;
    write(folder.file("mine.toml"), "inherits = \"gtx480\"\n");
    CHECK_NOTHROW(load_machine(folder.file("mine.toml")));
}

TEST_CASE("what a file inherits from is checked, with the place that asks for it") {
    const TemporaryFolder folder;
    const std::string path = folder.file("mine.toml");
    write(path, "inherits = \"gtx481\"\n");
    CHECK(
        error_of<ConfigurationError>(path).starts_with(path + ":1:12: unknown machine 'gtx481': did you mean gtx480?"));
    write(path, "inherits = \"missing.toml\"\n");
    CHECK(error_of<InputError>(path) ==
          path + ":1:12: " + folder.file("missing.toml") + ": the machine file cannot be read");
    write(path, "inherits = 480\n");
    CHECK(error_of<ConfigurationError>(path) == path + ":1:12: inherits = 480 is an integer; expected: text");
    write(path, "inherits = \"mine.toml\"\n");
    CHECK(error_of<ConfigurationError>(path) == path + ":1:12: the machines inherit from each other endlessly");
}

TEST_CASE("a file that cannot be read is an input error") {
    const TemporaryFolder folder;
    CHECK(error_of<InputError>("missing.toml") == "missing.toml: the machine file cannot be read");
    std::filesystem::create_directory(folder.file("folder.toml"));
    CHECK(error_of<InputError>(folder.file("folder.toml")).ends_with("the machine file cannot be read"));
}

}  // namespace
}  // namespace lookahead
