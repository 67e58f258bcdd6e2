#pragma once

#include <filesystem>
#include <string_view>

namespace lookahead {

/// Where a file or folder that belongs to the program lies, wherever the program stands: beside it, as in the build folder, or in
/// ../lib/lookahead, as it is installed (cluster/cmake/Install.cmake). Of one that is nowhere: where it would lie beside the
/// program.
std::filesystem::path program_file(std::string_view name);

/// The same for a program in `folder`.
std::filesystem::path program_file(const std::filesystem::path& folder, std::string_view name);

}  // namespace lookahead
