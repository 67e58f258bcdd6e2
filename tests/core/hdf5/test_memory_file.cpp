#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/error/error.h"
#include "core/hdf5/file.h"
#include "core/hdf5/memory_file.h"
#include "tests/core/hdf5/temporary_folder.h"

namespace lookahead::hdf5 {
namespace {

constexpr Meaning kMeaning{"cycle", "Something."};

FileImage image_with(const std::string& path, const std::vector<std::uint64_t>& values) {
    MemoryFile file(path);
    file.root().write_column<std::uint64_t>("first", values, kMeaning);
    return file.close();
}

TEST_CASE("a file that is put together in memory is on the disk when it is written, and only then") {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    const FileImage image = image_with(path, {1, 2, 3});
    CHECK(std::filesystem::is_empty(std::filesystem::path(path).parent_path()));
    write_image(path, image);
    CHECK(std::filesystem::file_size(path) == image.bytes().size());
    CHECK_FALSE(std::filesystem::exists(path + ".partial"));
    CHECK(InputFile(path).root().open_dataset("first").read<std::uint64_t>() == std::vector<std::uint64_t>{1, 2, 3});
}

TEST_CASE("a closed file can be gone on with, and grows as it must") {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    std::ofstream(path) << "what lies there does not matter";
    const FileImage begun = image_with(path, {4});
    const std::vector<double> many(200'000, 0.5);  // more than HDF5's buffer has room for, if they are not compressed
    const std::uint64_t shape[] = {many.size()};
    MemoryFile file(path, begun);
    file.root().write_array<double>("second", many, shape, kMeaning, Layout::in_place);
    write_image(path, file.close());
    const Group root = InputFile(path).root();
    CHECK(root.open_dataset("first").read<std::uint64_t>() == std::vector<std::uint64_t>{4});
    CHECK(root.open_dataset("second").read<double>() == many);
    // The image that it began with is as it was.
    write_image(path, begun);
    CHECK(InputFile(path).root().names() == std::vector<std::string>{"first"});
}

TEST_CASE("values in place can be replaced in the closed file, small ones and large ones") {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    for (const std::size_t count : {1, 40'000}) {
        std::vector<std::uint64_t> values(count, 7);
        const std::uint64_t shape[] = {count};
        MemoryFile file(path);
        const std::uint64_t offset =
            file.root().write_array<std::uint64_t>("x", values, shape, kMeaning, Layout::in_place).offset();
        FileImage image = file.close();
        values.back() = 8;
        std::memcpy(image.bytes().data() + offset, values.data(), count * sizeof(std::uint64_t));
        write_image(path, image);
        CHECK(InputFile(path).root().open_dataset("x").read<std::uint64_t>() == values);
    }
}

TEST_CASE("compressed values have no offset") {
    MemoryFile file("x.h5");
    CHECK_THROWS_AS(file.root().write_column<double>("large", std::vector<double>(40'000), kMeaning).offset(),
                    InternalError);
}

TEST_CASE("a file with open objects is not closed") {
    MemoryFile file("x.h5");
    const Group root = file.root();
    CHECK_THROWS_AS(file.close(), InputError);
}

TEST_CASE("a group that is removed makes room for another one of its name") {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.h5");
    MemoryFile file(path);
    file.root().create_group("g").write_scalar<double>("a", 1, kMeaning);
    file.root().remove("g");
    CHECK_FALSE(file.root().has("g"));
    CHECK_THROWS_AS(file.root().remove("g"), InputError);
    file.root().create_group("g").write_scalar<double>("b", 1, kMeaning);
    write_image(path, file.close());
    CHECK(InputFile(path).root().open_group("g").names() == std::vector<std::string>{"b"});
}

TEST_CASE("an image that cannot be written is an input error with its path, and leaves nothing") {
    const TemporaryFolder folder;
    const std::string missing = folder.file("no/such/folder/run.h5");
    const FileImage image = image_with(missing, {1});
    CHECK_THROWS_WITH_AS(write_image(missing, image),
                         (missing + ": cannot write the file: No such file or directory").c_str(), InputError);
    // A folder of that name is in the way of the finished file.
    const std::string taken = folder.file("taken");
    std::filesystem::create_directories(taken + "/inside");
    CHECK_THROWS_AS(write_image(taken, image), InputError);
    CHECK_FALSE(std::filesystem::exists(taken + ".partial"));
}

}  // namespace
}  // namespace lookahead::hdf5
