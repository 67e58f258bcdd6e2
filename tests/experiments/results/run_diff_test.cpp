#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "core/error/error.h"
#include "experiments/results/run_diff.h"
#include "experiments/results/run_writer.h"
#include "tests/core/error/error_of.h"
#include "tests/core/hdf5/temporary_folder.h"
#include "tests/experiments/results/example_run.h"

namespace lookahead {
namespace {

using Change = std::function<void(RunRecord&)>;

/// The difference between the example after one change and after another.
std::string difference_of(const Change& first, const Change& second) {
    const TemporaryFolder folder;
    for (const auto& [name, change] : {std::pair{"a.h5", &first}, {"b.h5", &second}}) {
        RunRecord record = example_run();
        (*change)(record);
        write_run(record, folder.file(name));
    }
    return diff_runs(folder.file("a.h5"), folder.file("b.h5")).value_or("none");
}

/// The difference between the example and the example after `change`.
std::string difference_after(const Change& change) {
    return difference_of([](RunRecord&) {}, change);
}

TEST_CASE("equal runs do not differ, whatever ranks and engine did") {
    CHECK(difference_after([](RunRecord&) {}) == "none");
    CHECK(difference_after([](RunRecord& record) {
              record.meta.ranks = 4;
              record.meta.wall_s = 1;
              record.meta.started = "another day";
              record.engine.resize(4);
              record.engine[0].statistics.events = 7;
          }) == "none");
}

TEST_CASE("a different counter is named with its index and both values") {
    CHECK(difference_after([](RunRecord& record) { record.counters[1].columns[0].values[1] = 2801; }) ==
          "/counters/sm/cycles[1]: 2800 in the first, 2801 in the second");
    CHECK(difference_after([](RunRecord& record) { record.series[1].columns[0].values[3] = 651; }) ==
          "/series/sm/warp_instructions[1, 1]: 650 in the first, 651 in the second");
    CHECK(difference_after([](RunRecord& record) { record.histograms[0].counts[2] = 9; }) ==
          "/histograms/sm/load_latency/counts[1, 0]: 7 in the first, 9 in the second");
    CHECK(difference_after([](RunRecord& record) { record.kernels[1].end_fs = -1; }) ==
          "/kernels/end_fs[1]: 4285714 in the first, -1 in the second");
    CHECK(difference_after([](RunRecord& record) { record.components[3].name = "sm0.l1i"; }) ==
          "/components/name[3]: \"sm0.l1d\" in the first, \"sm0.l1i\" in the second");
}

TEST_CASE("a different summary, configuration, shape, type or name is found") {
    CHECK(difference_after([](RunRecord& record) { record.state_hash = 1; }) ==
          "/@state_hash: \"fedcba9876543210\" in the first, \"0000000000000001\" in the second");
    CHECK(difference_after([](RunRecord& record) { record.config[0].value = std::int64_t{8}; }) ==
          "/config/l1d.ways: 4 in the first, 8 in the second");
    CHECK(difference_after([](RunRecord& record) { record.config[0].source = "override"; }) == "none");
    CHECK(difference_after([](RunRecord& record) { record.config[0].value = 4.0; }) ==
          "/config/l1d.ways: type int64 in the first, type float64 in the second");
    CHECK(difference_after([](RunRecord& record) { record.config[1].value = true; }) ==
          "/config/l1d.sectored: false in the first, true in the second");
    CHECK(difference_after([](RunRecord& record) { record.counters.pop_back(); }) == "/counters/sm: only in the first");
    CHECK(difference_after([](RunRecord& record) { record.counters[0].columns[0].name = "a_cycles"; }) ==
          "/counters/dram/a_cycles: only in the second");
    CHECK(difference_after([](RunRecord& record) {
              record.kernels.pop_back();
              record.kernel_counters.values.resize(2);
              record.kernel_energies.energy_delay_js.resize(1);
          }) ==
          "/@kernels: 2 in the first, 1 in the second\n"
          "/energy/kernel: shape 2 in the first, shape 1 in the second");
}

TEST_CASE("where settings were written does not count") {
    CHECK(difference_after([](RunRecord& record) {
              record.config[0].source = "n.toml:9";
              record.config_toml += "# n.toml:9\n";
              record.machine = "n.toml";
          }) == "none");
}

TEST_CASE("settings are named first, then the file's attributes, then the first other difference") {
    CHECK(difference_after([](RunRecord& record) {
              record.config[0].value = std::int64_t{8};
              record.config[1].value = true;
              record.config[1].source = "override";
              record.machine = "other";
              record.state_hash = 1;
              record.counters[1].columns[0].values[1] = 2801;
              record.kernels[1].end_fs = -1;
          }) ==
          "/config/l1d.sectored: false in the first, true in the second\n"
          "/config/l1d.ways: 4 in the first, 8 in the second\n"
          "/@machine: \"gtx480\" in the first, \"other\" in the second\n"
          "/@state_hash: \"fedcba9876543210\" in the first, \"0000000000000001\" in the second\n"
          "/counters/sm/cycles[1]: 2800 in the first, 2801 in the second");
}

TEST_CASE("of many settings that differ ten are named, and how many more there are") {
    const std::string found = difference_after([](RunRecord& record) {
        for (int i = 0; i < 12; ++i) {
            record.config.push_back({"z.key" + std::to_string(10 + i), std::int64_t{i}, "", "override", "A key."});
        }
    });
    CHECK(found.starts_with("/config/z.key10: only in the second\n/config/z.key11: only in the second\n"));
    CHECK(found.ends_with("/config/z.key19: only in the second\nand 2 more settings"));
}

TEST_CASE("numbers are compared bit for bit") {
    const auto set_clock = [](double value) { return [value](RunRecord& record) { record.config[2].value = value; }; };
    CHECK(difference_after(set_clock(std::nextafter(700e6, 1e9))).starts_with("/config/test.real: 700000000.0 (bits "));
    CHECK(difference_of(set_clock(0.0), set_clock(-0.0)) ==
          "/config/test.real: 0.0 (bits 0000000000000000) in the first, -0.0 (bits 8000000000000000) in the second");
    CHECK(difference_of(set_clock(std::nan("")), set_clock(std::nan(""))) == "none");
}

TEST_CASE("a large column is compared to its end") {
    const auto large = [](std::uint64_t last) {
        return [last](RunRecord& record) {
            std::vector<std::uint64_t>& values = record.series[0].columns[0].values;
            record.series[0].cycles.resize(10'000);
            for (std::size_t i = 0; i < record.series[0].cycles.size(); ++i) { record.series[0].cycles[i] = i; }
            values.assign(10'000, 1);
            values.back() = last;
        };
    };
    CHECK(difference_of(large(1), large(2)) ==
          "/series/dram/data_bus_cycles[9999, 0]: 1 in the first, 2 in the second");
}

TEST_CASE("a missing or foreign file is an input error with its path") {
    const TemporaryFolder folder;
    write_run(example_run(), folder.file("a.h5"));
    std::ofstream(folder.file("foreign")) << "text";
    for (const std::string other : {"missing", "foreign"}) {
        CHECK(test::error_of<InputError>([&] {
                  diff_runs(folder.file("a.h5"), folder.file(other));
              }).starts_with(folder.file(other) + ": "));
    }
}

}  // namespace
}  // namespace lookahead
