#pragma once

#include <functional>
#include <string>

#include "experiments/results/run_record.h"

namespace lookahead {

/// Where the result of a finished simulation is.
struct KeptResult {
    std::string file;    ///< empty: nowhere
    std::string reason;  ///< a sentence, if it is not at its path
};

/// The first name for a result that nobody named which no file has.
using FreePath = std::function<std::string()>;

/// Writes the result to `path`, or with `free_path` where that says at the time, in place of no other file. A simulation that is done is not lost to a disk that is full or a folder that is gone: then
/// the result goes into the folder for temporary files (TMPDIR, else /tmp), with the run's id in its name. A file that cannot
/// be completed appears nowhere.
/// Without `may_be_elsewhere` it stays with its path.
KeptResult keep_result(const RunRecord& record, const std::string& path, bool may_be_elsewhere = true,
                       const FreePath& free_path = nullptr);

/// Writes a text to a file that appears under its name only when it is complete. InputError if that fails; then there is no
/// such file.
void write_whole_file(const std::string& path, const std::string& text);

}  // namespace lookahead
