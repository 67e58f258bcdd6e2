#pragma once

#include <filesystem>
#include <string_view>

namespace lookahead {

/// The path of a file or folder that belongs to the program, wherever the program is: beside it, as in the build
/// folder, or in ../lib/lookahead, as installed (cluster/cmake/Install.cmake). Returns the path beside the program if
/// the file exists in neither place.
std::filesystem::path program_file(std::string_view name);

/// The same for a program in `folder`.
std::filesystem::path program_file(const std::filesystem::path& folder, std::string_view name);

}  // namespace lookahead
