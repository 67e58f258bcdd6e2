#include "experiments/cli/ptx_source.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error/error.h"

namespace lookahead::cli {

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
