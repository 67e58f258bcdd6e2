#include <doctest/doctest.h>
#include <hdf5.h>
#include <hdf5_hl.h>

#include <fstream>
#include <functional>

#include "core/error/error.h"
#include "core/hdf5/checksum.h"
#include "core/hdf5/file.h"
#include "experiments/results/run_writer.h"
#include "hdf5_schemas/run_schema.h"
#include "hdf5_schemas/validate.h"
#include "tests/core/error/error_of.h"
#include "tests/core/hdf5/temporary_folder.h"
#include "tests/experiments/results/example_run.h"

namespace lookahead {
namespace {

/// The violations, one per line, so that a failing check prints them.
std::string lines(const std::vector<std::string>& violations) {
    std::string text;
    for (const std::string& violation : violations) { text += violation + "\n"; }
    return text;
}

/// The violations of the example run's file after `change`.
std::string violations_after(const std::function<void(hid_t)>& change) {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    write_run(example_run(), path);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    REQUIRE(file >= 0);
    change(file);
    H5Fclose(file);
    return lines(validate_file(path));
}

void remove(hid_t file, const char* path) {
    REQUIRE(H5Ldelete(file, path, H5P_DEFAULT) >= 0);
}

void detach(hid_t file, const char* path, const char* scale_path, unsigned dimension = 0) {
    const hdf5::Handle dataset(H5Dopen2(file, path, H5P_DEFAULT), H5Dclose);
    const hdf5::Handle scale(H5Dopen2(file, scale_path, H5P_DEFAULT), H5Dclose);
    REQUIRE(H5DSdetach_scale(dataset.get(), scale.get(), dimension) >= 0);
}

void remove_attribute(hid_t file, const char* path, const char* name) {
    REQUIRE(H5Adelete_by_name(file, path, name, H5P_DEFAULT) >= 0);
}

/// A text attribute as the writer makes it.
void set_text(hid_t file, const char* path, const char* name, const char* value) {
    const hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    if (H5Aexists(object, name) > 0) { H5Adelete(object, name); }
    hdf5::Object(hdf5::Handle(object, H5Oclose)).set_attribute(name, value);
}

/// A dataset of `type` without scales, with units and description.
void make_dataset(hid_t file, const char* path, hid_t type, std::vector<hsize_t> shape) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    H5Dclose(H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    set_text(file, path, "units", "cycle");
    set_text(file, path, "description", "Something.");
    set_text(file, path, "long_name", "something");
}

void make_scale(hid_t file, const char* path) {
    const hdf5::Handle dataset(H5Dopen2(file, path, H5P_DEFAULT), H5Dclose);
    REQUIRE(H5DSset_scale(dataset.get(), "edges") >= 0);
}

TEST_CASE("what is missing is found") {
    CHECK(violations_after([](hid_t file) {
              detach(file, "/kernels/cycles", "/kernels/id");
              remove(file, "/kernels/cycles");
          }) == "/kernels/cycles: the dataset is missing\n");
    CHECK(violations_after([](hid_t file) { remove(file, "/engine"); }) == "/engine: the group is missing\n");
    CHECK(violations_after([](hid_t file) { remove(file, "/histograms/sm/load_latency/overflow"); }) ==
          "/histograms/sm/load_latency/overflow: the dataset is missing\n");
    CHECK(violations_after([](hid_t file) { remove_attribute(file, "/", "state_hash"); }) ==
          "/: the attribute \"state_hash\" is missing\n");
    CHECK(violations_after([](hid_t file) { remove_attribute(file, "/config/l1d.ways", "source"); }) ==
          "/config/l1d.ways: the attribute \"source\" is missing\n");
}

TEST_CASE("what the schema does not know is found") {
    CHECK(violations_after([](hid_t file) { make_dataset(file, "/extra", H5T_NATIVE_INT64, {3}); }) ==
          "/extra: the schema does not know it\n");
    CHECK(violations_after([](hid_t file) { set_text(file, "/kernels", "colour", "red"); }) ==
          "/kernels: the schema does not know its attribute \"colour\"\n");
    CHECK(violations_after([](hid_t file) {
              H5Gclose(H5Gcreate2(file, "/counters/sm/inner", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
          }) == "/counters/sm/inner: the schema does not know it\n");
}

TEST_CASE("every dataset needs units and a description") {
    CHECK(violations_after([](hid_t file) { remove_attribute(file, "/counters/sm/cycles", "units"); }) ==
          "/counters/sm/cycles: the text attribute \"units\" is missing\n");
    CHECK(violations_after([](hid_t file) { set_text(file, "/counters/sm/cycles", "description", ""); }) ==
          "/counters/sm/cycles: its description is empty\n");
    CHECK(violations_after([](hid_t file) { set_text(file, "/kernels/cycles", "units", "second"); }) ==
          "/kernels/cycles: its attribute \"units\" is \"second\", not \"cycle\"\n");
}

TEST_CASE("a wrong type or value is found") {
    CHECK(violations_after([](hid_t file) { set_text(file, "/", "status", "done"); }) ==
          "/: its attribute \"status\" is none of complete, stopped, failed\n");
    CHECK(violations_after([](hid_t file) { set_text(file, "/", "cycles", "many"); }) ==
          "/: its attribute \"cycles\" is text, not uint64\n");
    const std::string violations = violations_after([](hid_t file) {
        remove(file, "/counters/dram/data_bus_cycles");
        make_dataset(file, "/counters/dram/data_bus_cycles", H5T_NATIVE_FLOAT, {1});
    });
    CHECK(violations ==
          "/counters/dram/data_bus_cycles: its type is other, not uint64\n"
          "/counters/dram/data_bus_cycles: the scale \"component\" is not attached "
          "to it\n");
}

TEST_CASE("extents that do not fit are found") {
    CHECK(violations_after([](hid_t file) { make_dataset(file, "/counters/sm/odd", H5T_NATIVE_UINT64, {3}); }) ==
          "/counters/sm/odd: its dimension component has 3 elements, but 2 in /counters/sm/component\n"
          "/counters/sm/odd: the scale \"component\" is not attached to it\n");
    CHECK(violations_after([](hid_t file) {
              make_dataset(file, "/counters/sm/flat", H5T_NATIVE_UINT64, {2, 2});
          }) == "/counters/sm/flat: it has 2 dimensions, not 1 (component)\n");
    CHECK(violations_after([](hid_t file) {
              remove(file, "/histograms/sm/load_latency/edges");
              make_dataset(file, "/histograms/sm/load_latency/edges", H5T_NATIVE_UINT64, {2});
              make_scale(file, "/histograms/sm/load_latency/edges");
          }) == "/histograms/sm/load_latency: the dimension edges has 2 elements, not 3 (bin + 1)\n");
}

TEST_CASE("a file of another kind is an input error with its path") {
    const TemporaryFolder folder;
    const std::string path = folder.file("other.h5");
    const auto error_with = [&](const char* schema, const char* version) {
        hdf5::OutputFile file(path);
        if (schema != nullptr) {
            file.root().set_attribute("schema", schema);
            file.root().set_attribute("schema_version", version);
        }
        file.commit();
        return test::error_of<InputError>([&] { validate_file(path); });
    };
    CHECK(error_with(nullptr, "") == path + ": not a file of Lookahead: it has no attribute \"schema\"");
    CHECK(error_with("other.tool", "1.0") ==
          path +
              ": unknown schema \"other.tool\"; known: lookahead.run, lookahead.capture, "
              "lookahead.checkpoint, lookahead.sweep");
    const std::string known = std::string(": version %; this program reads versions 1.0 to ") + run_schema::kVersion;
    const auto refusal = [&](const std::string& version) {
        std::string text = known;
        return path + text.replace(text.find('%'), 1, version + " of its schema");
    };
    for (const char* version : {"2.0", "0.9", "1.999", "1", "1.", "1.1.1", "one", ""}) {
        CHECK(error_with("lookahead.run", version) == refusal(version));
    }
    CHECK(error_with("lookahead.run", "1.0") == "no error");
    CHECK(validate_file(path).size() > 10);
}

void remove_additions_of_1_3(hid_t file) {
    // Otherwise these would still refer to the removed object, and HDF5 would not find its other users.
    detach(file, "/energy/kernel_joules", "/energy/component", 1);
    detach(file, "/energy/kernel_joules", "/energy/category", 2);
    for (const char* name : {"/stalls", "/latency", "/kernel_counters", "/energy/kernel_joules",
                             "/energy/kernel_energy_delay", "/energy/kernel"}) {
        remove(file, name);
    }
}

void remove_additions_of_1_7(hid_t file) {
    remove(file, "/activity");
    remove_attribute(file, "/", "default");
    remove_attribute(file, "/", "thread_ipc");
    const auto remove_from = [](hid_t root, const char* name, const H5O_info_t*, void*) -> herr_t {
        for (const char* attribute : {"NX_class", "signal", "axes", "long_name"}) {
            if (H5Aexists_by_name(root, name, attribute, H5P_DEFAULT) > 0) { remove_attribute(root, name, attribute); }
        }
        return 0;
    };
    REQUIRE(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, +remove_from, nullptr) >= 0);
}

TEST_CASE("a file is held against its own minor version") {
    // 1.1 added /energy; 1.2 /engine/per_process and /engine/per_window; 1.3 stalls, and counters and energy by kernel;
    // 1.4 the sources of samples; 1.5 threads; 1.6 the program's hash; 1.7 what viewers draw; 1.9 counts by
    // instruction. A file of one version gets the additions up to another one.
    const auto of_version = [](int version, int additions) {
        return violations_after([&](hid_t file) {
            set_text(file, "/", "schema_version", ("1." + std::to_string(version)).c_str());
            if (additions < 9) { remove(file, "/instructions"); }
            if (additions < 7) { remove_additions_of_1_7(file); }
            if (additions < 6) { REQUIRE(H5Adelete_by_name(file, "/meta", "program_hash", H5P_DEFAULT) >= 0); }
            if (additions < 5) {
                for (const char* name : {"/engine/threads", "/engine/shared_windows"}) {
                    detach(file, name, "/engine/rank", 0);
                    remove(file, name);
                }
            }
            if (additions == 3) {  // without those of 1.3 there are no samples
                detach(file, "/latency/source", "/latency/sample", 0);
                remove(file, "/latency/source");
            }
            if (additions < 3) { remove_additions_of_1_3(file); }
            if (additions < 1) { remove(file, "/energy"); }
            if (additions < 2) {
                remove(file, "/engine/per_process");
                remove(file, "/engine/per_window");
            }
        });
    };
    CHECK(of_version(0, 0) == "");
    CHECK(of_version(0, 1) == "/energy: the schema has it since version 1.1, but the file is of version 1.0\n");
    CHECK(of_version(1, 0) == "/energy: the group is missing\n");
    CHECK(of_version(1, 1) == "");
    CHECK(of_version(1, 2) ==
          "/engine/per_process: the schema has it since version 1.2, but the file is of version 1.1\n"
          "/engine/per_window: the schema has it since version 1.2, but the file is of version 1.1\n");
    CHECK(of_version(2, 2) == "");
    CHECK(of_version(2, 3).find("/stalls: the schema has it since version 1.3, but the file is of version 1.2\n") !=
          std::string::npos);
    CHECK(of_version(3, 2).find("/stalls: the group is missing\n") != std::string::npos);
    CHECK(of_version(3, 3) == "");
    CHECK(of_version(3, 4) == "/latency/source: the schema has it since version 1.4, but the file is of version 1.3\n");
    CHECK(of_version(4, 3).find("/latency/source: the dataset is missing\n") != std::string::npos);
    CHECK(of_version(4, 4) == "");
    CHECK(of_version(4, 5) ==
          "/engine/shared_windows: the schema has it since version 1.5, but the file is of version 1.4\n"
          "/engine/threads: the schema has it since version 1.5, but the file is of version 1.4\n");
    CHECK(of_version(5, 4).find("/engine/threads: the dataset is missing\n") != std::string::npos);
    CHECK(of_version(5, 5) == "");
    CHECK(
        of_version(5, 6) ==
        "/meta: its attribute \"program_hash\": the schema has it since version 1.6, but the file is of version 1.5\n");
    CHECK(of_version(6, 5).find("program_hash") != std::string::npos);
    CHECK(of_version(6, 6) == "");
    const std::string too_new = of_version(6, 7);
    for (const char* violation :
         {"/activity: the schema has it since version 1.7, but the file is of version 1.6\n",
          "/: its attribute \"default\": the schema has it since version 1.7, but the file is of version 1.6\n",
          "/stalls: its attribute \"signal\": the schema has it since version 1.7, but the file is of version 1.6\n",
          "/counters/sm/cycles: its attribute \"long_name\": the schema has it since version 1.7, but the file is of "
          "version 1.6\n"}) {
        CHECK(too_new.find(violation) != std::string::npos);
    }
    const std::string lacking = of_version(7, 6);
    for (const char* violation :
         {"/activity: the group is missing\n", "/: the attribute \"default\" is missing\n",
          "/: the attribute \"thread_ipc\" is missing\n", "/series/sm: the attribute \"axes\" is missing\n",
          "/counters/sm/cycles: the text attribute \"long_name\" is missing\n"}) {
        CHECK(lacking.find(violation) != std::string::npos);
    }
    CHECK(of_version(7, 7) == "");
    CHECK(of_version(8, 8) == "");
    CHECK(of_version(8, 9) == "/instructions: the schema has it since version 1.9, but the file is of version 1.8\n");
    CHECK(of_version(9, 8) == "/instructions: the group is missing\n");
    CHECK(of_version(9, 9) == "");
}

TEST_CASE("arrays of numbers have long names, those of the schema where it gives them") {
    CHECK(violations_after([](hid_t file) { set_text(file, "/stalls/cycle", "long_name", "time"); }) ==
          "/stalls/cycle: its attribute \"long_name\" is \"time\", not \"core cycle\"\n");
    CHECK(violations_after([](hid_t file) { set_text(file, "/kernels/grid_x", "long_name", ""); }) ==
          "/kernels/grid_x: the text attribute \"long_name\" is missing\n");
    CHECK(violations_after([](hid_t file) { set_text(file, "/kernels/name", "long_name", "name"); }) ==
          "/kernels/name: the schema does not know its attribute \"long_name\"\n");
}

TEST_CASE("a file that is truncated at any length is an input error or has violations") {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    write_run(example_run(), path);
    std::ifstream stream(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    const std::size_t end = bytes.size() - hdf5::kChecksumBytes;  // the bytes after it are not part of the HDF5 file
    for (std::size_t length = 0; length < end; length += end / 23) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes.substr(0, length);
        CHECK_THROWS_AS(validate_file(path), InputError);
    }
}

}  // namespace
}  // namespace lookahead
