#include "core/files/writable.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error/error.h"

namespace lookahead {

namespace {

void require_replaceable(const std::string& path, const FileKind& kind, bool force) {
    namespace fs = std::filesystem;
    std::error_code unknown;  // a file that cannot be examined cannot be written either
    const fs::file_status link = fs::symlink_status(path, unknown);
    if (!fs::exists(link)) { return; }
    const fs::file_status what = fs::status(path, unknown);
    if (!fs::exists(what)) { return; }  // a link to a file that will be made
    if (fs::is_directory(what)) { throw InputError("{}: a folder is there; name a file", path); }
    if (!fs::is_regular_file(what)) {
        throw InputError("{}: is not a regular file, and is not replaced; name a file", path);
    }
    if (!force && fs::file_size(path, unknown) > 0 && !kind.is_one(path)) {
        throw InputError("{}: the existing file is not {}; name another one, or replace it with --force", path,
                         kind.name);
    }
}

}  // namespace

std::string followed(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::is_symlink(path, ignored)) { return path; }
    const std::filesystem::path target = std::filesystem::weakly_canonical(path, ignored);
    if (ignored) { return path; }
    // A link whose target does not exist is left as it is.
    if (!std::filesystem::is_symlink(target, ignored)) { return target.string(); }
    const std::filesystem::path named = std::filesystem::read_symlink(target, ignored);
    return followed((named.is_absolute() ? named : target.parent_path() / named).string());
}

void require_writable(const std::string& path, const FileKind& kind, bool force) {
    require_replaceable(path, kind, force);
    const std::string partial = fmt::format("{}.partial", followed(path));
    const int file = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
    if (file < 0) {
        throw InputError("{}: the file cannot be written: {}; name one in an existing folder in which you may write",
                         path, std::strerror(errno));
    }
    ::close(file);
    std::remove(partial.c_str());
}

std::optional<std::string> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path)) { return std::nullopt; }
    return std::string{std::istreambuf_iterator<char>(file), {}};
}

bool has_text(const std::string& path, const std::string& text) {
    return read_file(path).value_or("").find(text) != std::string::npos;
}

}  // namespace lookahead
