#pragma once

#include <functional>
#include <string>

#include "experiments/results/run_record.h"

namespace lookahead {

/// Writes the result file of a run, which appears under its name when it is complete and on the disk; returns the
/// file's path. InputError with the path if that fails. With `other` an existing file stays, and the result gets the
/// first unused name from `other`.
std::string write_run(const RunRecord& record, const std::string& path,
                      const std::function<std::string()>& other = nullptr);

}  // namespace lookahead
