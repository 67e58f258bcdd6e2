#pragma once

#include <functional>
#include <string>

#include "experiments/results/run_record.h"

namespace lookahead {

/// Writes the result file of a run, which appears under its name when it is complete and on the disk. InputError with
/// the path if that fails. With `other` a file that is there stays, and the result gets the first name of `other` that none
/// has. The file's path.
std::string write_run(const RunRecord& record, const std::string& path,
                      const std::function<std::string()>& other = nullptr);

}  // namespace lookahead
