#include "experiments/cli/named_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error/error.h"
#include "core/hdf5/file.h"

namespace lookahead::cli {

std::string free_path(const std::string& path) {
    const std::filesystem::path first(path);
    std::filesystem::path next = first;
    std::error_code unknown;  // a path that cannot be examined is refused when it is written
    const auto is_taken = [&] {
        return std::filesystem::exists(std::filesystem::symlink_status(next, unknown)) ||
               hdf5::is_being_written(fmt::format("{}.partial", next.string()));
    };
    for (int number = 2; is_taken(); ++number) {
        next =
            first.parent_path() / (fmt::format("{}-{}{}", first.stem().string(), number, first.extension().string()));
    }
    return next.string();
}

std::optional<std::string> read_ptx(const std::string& source) {
    std::error_code unknown;
    const bool is_folder = std::filesystem::is_directory(source, unknown);
    const bool is_file = std::filesystem::is_regular_file(source, unknown);
    if (!is_file && !source.ends_with(".ptx")) { return std::nullopt; }
    std::ifstream in(source, std::ios::binary);
    if (!in || !is_file) {
        throw InputError("{}: cannot be read{}", source, (is_folder ? ": it is a folder; give a PTX file" : ""));
    }
    return std::string{std::istreambuf_iterator<char>(in), {}};
}

}  // namespace lookahead::cli
