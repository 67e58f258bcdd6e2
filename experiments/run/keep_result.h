#pragma once

#include <functional>
#include <string>

#include "experiments/results/run_record.h"

namespace lookahead {

/// The place of a finished simulation's result.
struct KeptResult {
    std::string file;    ///< empty: nowhere
    std::string reason;  ///< a sentence, if it is not at its path
};

/// The first unused name for a result without a given name.
using FreePath = std::function<std::string()>;

/// Writes the result to `path`, or, if `free_path` is given, to the name that it returns then, which replaces no file.
/// A finished simulation is not lost to a full disk or a missing folder: then the result goes into the folder for
/// temporary files (TMPDIR, else /tmp), with the run's id in its name. A file that cannot be completed does not appear.
/// Without `may_be_elsewhere` only `path` is tried.
KeptResult keep_result(const RunRecord& record, const std::string& path, bool may_be_elsewhere = true,
                       const FreePath& free_path = nullptr);

/// Writes a text to a file that appears under its name only when it is complete. InputError, and no such file, if that
/// fails.
void write_whole_file(const std::string& path, const std::string& text);

}  // namespace lookahead
