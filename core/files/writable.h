#pragma once

#include <functional>
#include <optional>
#include <string>

namespace lookahead {

/// The kind of file that a command writes under a user's name.
struct FileKind {
    std::string name;                                     ///< "a result of a run"
    std::function<bool(const std::string& path)> is_one;  ///< whether the regular file at `path` is of this kind
};

/// The file that a path names: what it links to, if it is a symbolic link.
std::string followed(const std::string& path);

/// Checks that a command will be able to write its result; call it before the work. Throws InputError, with the reason,
/// if no file can be made at `path` now; if a folder, a device or another non-regular file is there; or, unless
/// `force`, if a file of another kind is there. An empty file may be replaced.
void require_writable(const std::string& path, const FileKind& kind, bool force);

/// Returns the contents of the file; nothing if it cannot be read, for example because it is a folder.
std::optional<std::string> read_file(const std::string& path);

/// Whether the file contains the text.
bool has_text(const std::string& path, const std::string& text);

}  // namespace lookahead
