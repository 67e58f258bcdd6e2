#include "experiments/cli/free_path.h"

#include <filesystem>

#include <fmt/format.h>

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

}  // namespace lookahead::cli
