#pragma once

#include <functional>
#include <string>

namespace lookahead {

/// What a command writes to a file that its user names.
struct FileKind {
    std::string name;                                     ///< "a result of a run"
    std::function<bool(const std::string& path)> is_one;  ///< whether the regular file that is there is of this kind
};

/// A command must not find out when its work is done that it cannot write what came of it. InputError, with the reason, if no
/// file can be made at `path` now; if a folder, a device or anything else but a regular file is there; and, unless `force`,
/// if there is a file of another kind, which is not replaced. An empty file may be replaced.
void require_writable(const std::string& path, const FileKind& kind, bool force);

/// Whether the file has the text in it.
bool has_text(const std::string& path, const std::string& text);

}  // namespace lookahead
