#include <doctest/doctest.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "core/error/error.h"
#include "core/hdf5/checksum.h"
#include "core/hdf5/file.h"
#include "tests/core/error/error_of.h"
#include "tests/core/hdf5/temporary_folder.h"

namespace lookahead::hdf5 {
namespace {

void write_something(Group root) {
    const std::vector<double> values(20'000, 1.5);
    root.write_column<double>("x", values, {"", "x"});
}

void write_whole(const std::string& path) {
    OutputFile output(path);
    write_something(output.root());
    output.commit();
}

std::string open_error(const std::string& path) {
    return test::error_of<InputError>([&] { InputFile(path).root(); });
}

TEST_CASE("a file is whole to its last byte, and nothing else is a whole file") {
    const TemporaryFolder folder;
    const std::string path = folder.file("whole.h5");
    CHECK_FALSE(is_whole_file(path));
    write_whole(path);
    CHECK(is_whole_file(path));
    const auto length = std::filesystem::file_size(path);
    std::filesystem::resize_file(path, length - kChecksumBytes - 1);
    CHECK_FALSE(is_whole_file(path));
    CHECK(open_error(path) != "no error");
    std::filesystem::resize_file(path, 20);
    CHECK_FALSE(is_whole_file(path));
    CHECK_FALSE(is_whole_file(folder.file("")));
    std::ofstream(path) << std::string(1000, 'x');
    CHECK_FALSE(is_whole_file(path));
}

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

TEST_CASE("a file with any bit changed is refused before HDF5 opens it") {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    write_whole(path);
    const std::string whole = bytes_of(path);
    for (std::size_t i = 0; i < whole.size() - kChecksumBytes; i += 1 + whole.size() / 97) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
        write_bytes(path, damaged);
        CHECK(open_error(path) ==
              path + ": was damaged after it was written (its checksum is wrong); copy it again or make it anew");
    }
    write_bytes(path, whole + "more");
    CHECK(open_error(path) == "no error");  // as HDF5 accepts it: the checksum is not at the end, so there is none
    write_bytes(path, whole.substr(0, whole.size() / 3) + whole.substr(whole.size() / 3 + 8));
    CHECK(open_error(path).find("its checksum is wrong") != std::string::npos);
    write_bytes(path, whole);
    CHECK(open_error(path) == "no error");
}

TEST_CASE("a file without a checksum is opened, and one that another tool changes has none") {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    write_whole(path);
    const std::string whole = bytes_of(path);
    write_bytes(path, whole.substr(0, whole.size() - kChecksumBytes));
    CHECK(open_error(path) == "no error");
    write_bytes(path, whole);
    {
        const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
        const Handle group(H5Gcreate2(file.get(), "more", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
        REQUIRE(group.get() >= 0);
    }
    CHECK(bytes_of(path).find("CHECKSUM") == std::string::npos);
    CHECK(open_error(path) == "no error");
    CHECK(InputFile(path).root().has("more"));
}

TEST_CASE("a file that HDF5 crashes on or does not come to the end of is an input error") {
    const TemporaryFolder folder;
    const std::string path = folder.file("loop.h5");
    {
        const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
        REQUIRE(H5Lcreate_hard(file.get(), "/", file.get(), "loop", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    }
    CHECK(open_error(path).find(" is damaged: ") != std::string::npos);
}

TEST_CASE("a device and a pipe are no files") {
    const TemporaryFolder folder;
    const std::string pipe = folder.file("pipe.h5");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(open_error(pipe) == pipe + ": cannot be read: it is a device or a pipe, not an HDF5 file");
    CHECK(open_error("/dev/zero") == "/dev/zero: cannot be read: it is a device or a pipe, not an HDF5 file");
}

TEST_CASE("a file has its name only when it is complete") {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    OutputFile output(path);
    write_something(output.root());
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK(std::filesystem::exists(output.partial_path()));
    output.commit();
    CHECK(std::filesystem::exists(path));
    CHECK_FALSE(std::filesystem::exists(output.partial_path()));
    CHECK(open_error(path) == "no error");
}

TEST_CASE("a file that is not committed leaves nothing") {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    CHECK_THROWS_AS(
        [&] {
            OutputFile output(path);
            write_something(output.root());
            throw std::runtime_error("the run failed");
        }(),
        std::runtime_error);
    CHECK(std::filesystem::is_empty(std::filesystem::path(path).parent_path()));
}

TEST_CASE("committing replaces an older file, and a failed run keeps it") {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    for (const double value : {1.0, 2.0}) {
        OutputFile output(path);
        output.root().write_scalar<double>("x", value, {"", "x"});
        output.commit();
    }
    {
        OutputFile output(path);
        output.root().write_scalar<double>("x", 3.0, {"", "x"});
    }
    CHECK(InputFile(path).root().open_dataset("x").read<double>() == std::vector<double>{2.0});
}

TEST_CASE("committing beside other files takes the first name that none has, and replaces none") {
    const TemporaryFolder folder;
    OutputFile output(folder.file("run.h5"));
    write_something(output.root());
    std::ofstream(folder.file("run.h5")) << "first";
    std::ofstream(folder.file("run-2.h5")) << "second";
    int number = 2;
    output.commit_beside([&] { return folder.file("run-" + std::to_string(number++) + ".h5"); });
    CHECK(output.path() == folder.file("run-3.h5"));
    CHECK(open_error(output.path()) == "no error");
    CHECK(std::filesystem::file_size(folder.file("run.h5")) == std::string("first").size());
    CHECK(std::filesystem::file_size(folder.file("run-2.h5")) == std::string("second").size());
    CHECK_FALSE(std::filesystem::exists(output.partial_path()));
}

TEST_CASE("a writer that is killed leaves no file under the final name") {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        OutputFile output(path);
        write_something(output.root());
        const char byte = 1;
        if (::write(ready[1], &byte, 1) == 1) { ::pause(); }
        ::_exit(1);
    }
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(std::filesystem::exists(path + ".partial"));
    CHECK_FALSE(std::filesystem::exists(path));
    // The killed run's remains do not disturb the next run.
    write_whole(path);
    CHECK(open_error(path) == "no error");
    CHECK_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST_CASE("a file that another is writing is refused, and left to the other") {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    CHECK_FALSE(is_being_written(path + ".partial"));
    OutputFile first(path);
    write_something(first.root());
    CHECK(is_being_written(path + ".partial"));
    CHECK_THROWS_WITH_AS(OutputFile{path}, (path + ".partial: another run is writing it").c_str(), InputError);
    first.commit();
    CHECK(open_error(path) == "no error");
    CHECK_FALSE(is_being_written(path));
    CHECK_NOTHROW(OutputFile{path});
}

TEST_CASE("a missing, empty, foreign or truncated file is an input error with its path") {
    const TemporaryFolder folder;
    const std::string missing = folder.file("missing.h5");
    CHECK(open_error(missing) == missing + ": cannot open: No such file or directory");

    const std::string foreign = folder.file("foreign.h5");
    std::ofstream(foreign) << "[l1d]\nways = 4\n";
    CHECK(open_error(foreign).starts_with(foreign + ": cannot read as an HDF5 file"));
    const std::string empty = folder.file("empty.h5");
    std::ofstream{empty};
    CHECK(open_error(empty).starts_with(empty + ": cannot read as an HDF5 file"));

    const std::string path = folder.file("run.h5");
    write_whole(path);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    CHECK(open_error(path).starts_with(path + ": cannot read as an HDF5 file"));
    CHECK(open_error(path).find("truncated") != std::string::npos);
}

TEST_CASE("a file that cannot be created is an input error with its path") {
    const TemporaryFolder folder;
    const std::string path = folder.file("no/such/folder/run.h5");
    CHECK_THROWS_AS(OutputFile{path}, InputError);
}

TEST_CASE("a file with open objects is not committed") {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    OutputFile output(path);
    {
        const Group root = output.root();
        CHECK_THROWS_AS(output.commit(), InputError);
    }
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("equal contents give equal files") {
    const TemporaryFolder folder;
    for (const char* name : {"a.h5", "b.h5"}) { write_whole(folder.file(name)); }
    CHECK(bytes_of(folder.file("a.h5")) == bytes_of(folder.file("b.h5")));
}

}  // namespace
}  // namespace lookahead::hdf5
