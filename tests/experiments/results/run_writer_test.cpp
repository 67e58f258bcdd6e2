#include <doctest/doctest.h>

#include <filesystem>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "experiments/results/run_writer.h"
#include "hdf5_schemas/validate.h"
#include "tests/core/hdf5/temporary_folder.h"
#include "tests/experiments/results/example_run.h"

namespace lookahead {
namespace {

TEST_CASE("a written run is valid, and so is one with nothing in it") {
    const TemporaryFolder folder;
    write_run(example_run(), folder.file("run.h5"));
    CHECK(validate_file(folder.file("run.h5")) == std::vector<std::string>{});
    write_run(RunRecord(), folder.file("empty.h5"));
    CHECK(validate_file(folder.file("empty.h5")) == std::vector<std::string>{});
}

TEST_CASE("every part of the record is in the file") {
    const TemporaryFolder folder;
    write_run(example_run(), folder.file("run.h5"));
    const hdf5::InputFile file(folder.file("run.h5"));
    const hdf5::Group root = file.root();
    CHECK(root.text_attribute("state_hash") == "fedcba9876543210");
    CHECK(root.text_attribute("outputs") == "match");
    CHECK(root.attribute("ipc") == hdf5::AttributeValue(1.5));
    CHECK(root.attribute("kernels") == hdf5::AttributeValue(std::uint64_t{2}));
    CHECK(root.open_group("meta").attribute("ranks") == hdf5::AttributeValue(std::int64_t{2}));
    CHECK(root.open_group("meta").attribute("argv") ==
          hdf5::AttributeValue(std::vector<std::string>{"lookahead", "run", "vecadd"}));

    const hdf5::Dataset ways = root.open_dataset("config/l1d.ways");
    CHECK(ways.read<std::int64_t>() == std::vector<std::int64_t>{4});
    CHECK(ways.text_attribute("source") == "m.toml:3");
    CHECK(ways.text_attribute("units") == "line");
    CHECK(root.open_dataset("config/sm.warp_scheduler").read_texts() == std::vector<std::string>{"gto"});
    CHECK(root.open_dataset("config/l1d.sectored").type() == hdf5::ElementType::boolean);

    CHECK(root.open_dataset("components/parent").read<std::int32_t>() == std::vector<std::int32_t>{-1, -1, -1, 0, 2});
    CHECK(root.open_dataset("counters/sm/component").read_texts() == std::vector<std::string>{"sm0", "sm1"});
    CHECK(root.open_dataset("counters/sm/cycles").read<std::uint64_t>() == std::vector<std::uint64_t>{2900, 2800});
    CHECK(root.open_dataset("kernels/shared_bytes").read<std::uint32_t>() == std::vector<std::uint32_t>{0, 64});
    CHECK(root.open_dataset("series/sm/warp_instructions").shape() == std::vector<std::uint64_t>{3, 2});
    CHECK(root.open_dataset("histograms/sm/load_latency/counts").read<std::uint64_t>() ==
          std::vector<std::uint64_t>{5, 6, 7, 8});
    CHECK(root.open_dataset("engine/events").read<std::uint64_t>() == std::vector<std::uint64_t>{123, 0});
    CHECK(root.open_dataset("engine/window_lengths").read<std::uint64_t>()[64 + 20] == 9);
}

TEST_CASE("columns of unequal length are an internal error and leave no file") {
    const TemporaryFolder folder;
    RunRecord record = example_run();
    record.counters[1].columns[0].values.pop_back();
    CHECK_THROWS_AS(write_run(record, folder.file("run.h5")), InternalError);
    CHECK_FALSE(std::filesystem::exists(folder.file("run.h5")));
    CHECK_FALSE(std::filesystem::exists(folder.file("run.h5.partial")));
}

TEST_CASE("a path that cannot be written is an input error") {
    const TemporaryFolder folder;
    CHECK_THROWS_AS(write_run(example_run(), folder.file("no/folder/run.h5")), InputError);
}

/// For the test of the Python reader: `test_experiments_results` writes the file that it reads.
TEST_CASE("the example run is written for the analysis tests") {
    const std::string path = std::string(LOOKAHEAD_BINARY_DIR) + "/example_run.h5";
    write_run(example_run(), path);
    CHECK(validate_file(path).empty());
}

}  // namespace
}  // namespace lookahead
