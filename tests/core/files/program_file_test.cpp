#include "core/files/program_file.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace lookahead {
namespace {

TEST_CASE("a file of the program is found beside it, else among the installed ones") {
    const auto root = std::filesystem::temp_directory_path() / ("program_file_" + std::to_string(::getpid()));
    std::filesystem::create_directories(root / "bin");
    std::filesystem::create_directories(root / "lib" / "lookahead");
    CHECK(program_file(root / "bin", "module.so") == root / "bin" / "module.so");  // the file does not exist
    std::ofstream(root / "lib" / "lookahead" / "module.so") << "installed";
    CHECK(program_file(root / "bin", "module.so") == root / "lib" / "lookahead" / "module.so");
    std::ofstream(root / "bin" / "module.so") << "built";
    CHECK(program_file(root / "bin", "module.so") == root / "bin" / "module.so");
    std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace lookahead
