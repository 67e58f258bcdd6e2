#include "core/files/program_file.h"

namespace lookahead {

std::filesystem::path program_file(const std::filesystem::path& folder, std::string_view name) {
    const std::filesystem::path beside = folder / name;
    const std::filesystem::path installed = folder.parent_path() / "lib" / "lookahead" / name;
    return !std::filesystem::exists(beside) && std::filesystem::exists(installed) ? installed : beside;
}

std::filesystem::path program_file(std::string_view name) {
    return program_file(std::filesystem::read_symlink("/proc/self/exe").parent_path(), name);
}

}  // namespace lookahead
