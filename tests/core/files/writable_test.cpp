#include "core/files/writable.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/error/error.h"
#include "tests/core/error/error_of.h"
#include "tests/core/hdf5/temporary_folder.h"

namespace lookahead {
namespace {

const FileKind kPage{"a page", [](const std::string& path) { return has_text(path, "page"); }};

std::string refusal(const std::string& path, bool force = false) {
    return test::error_of<InputError>([&] { require_writable(path, kPage, force); });
}

TEST_CASE("a new file, an empty one and one of the same kind may be written, and nothing is left by asking") {
    const TemporaryFolder folder;
    const std::string path = folder.file("out");
    CHECK(refusal(path) == "no error");
    CHECK(std::filesystem::is_empty(folder.file("")));
    std::ofstream(path).close();
    CHECK(refusal(path) == "no error");
    std::ofstream(path) << "an old page";
    CHECK(refusal(path) == "no error");
    CHECK(std::filesystem::file_size(path) == 11);
    CHECK_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST_CASE("a file of another kind is replaced only by force") {
    const TemporaryFolder folder;
    const std::string path = folder.file("out");
    std::ofstream(path) << "a thesis";
    CHECK(refusal(path) == path + ": the existing file is not a page; name another one, or replace it with --force");
    CHECK(refusal(path, true) == "no error");
}

TEST_CASE("a link leads to the file that is written, there or not, over several links") {
    const TemporaryFolder folder;
    const std::string target = std::filesystem::canonical(folder.file("")).string() + "/target";
    std::filesystem::create_symlink("target", folder.file("near"));
    std::filesystem::create_symlink(folder.file("near"), folder.file("far"));
    for (const bool is_there : {false, true}) {
        if (is_there) { std::ofstream(target) << "a page"; }
        for (const char* name : {"target", "near", "far"}) {
            CAPTURE(name);
            CHECK(std::filesystem::weakly_canonical(followed(folder.file(name))).string() == target);
            CHECK(refusal(folder.file(name)) == "no error");
        }
    }
    std::filesystem::create_symlink(folder.file("there"), folder.file("back"));
    std::filesystem::create_symlink(folder.file("back"), folder.file("there"));
    CHECK(followed(folder.file("back")) == folder.file("back"));
    CHECK(followed(folder.file("plain")) == folder.file("plain"));
}

TEST_CASE("a device, a pipe and a folder are never replaced") {
    const TemporaryFolder folder;
    const std::string pipe = folder.file("pipe"), to_device = folder.file("full");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::filesystem::create_symlink("/dev/full", to_device);
    for (const std::string& path : {std::string("/dev/full"), std::string("/dev/null"), pipe, to_device}) {
        for (const bool force : {false, true}) {
            CHECK(refusal(path, force) == path + ": is not a regular file, and is not replaced; name a file");
        }
    }
    CHECK(refusal(folder.file("."), true) == folder.file(".") + ": a folder is there; name a file");
}

TEST_CASE("why a file cannot be made is said") {
    const TemporaryFolder folder;
    CHECK(refusal(folder.file("none/out")).find("No such file or directory") != std::string::npos);
    CHECK(refusal(folder.file(std::string(300, 'x'))).find("File name too long") != std::string::npos);
    CHECK(refusal("/proc/out").find("/proc/out: the file cannot be written: ") == 0);
}

}  // namespace
}  // namespace lookahead
