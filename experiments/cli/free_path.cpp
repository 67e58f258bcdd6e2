#include "experiments/cli/free_path.h"

#include <filesystem>

namespace lookahead::cli {

std::string free_path(const std::string& path) {
    const std::filesystem::path first(path);
    std::filesystem::path next = first;
    std::error_code unknown;  // what cannot be looked at is refused when it is written
    for (int number = 2; std::filesystem::exists(next, unknown); ++number) {
        next =
            first.parent_path() / (first.stem().string() + "-" + std::to_string(number) + first.extension().string());
    }
    return next.string();
}

}  // namespace lookahead::cli
