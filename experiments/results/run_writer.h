#pragma once

#include <string>

#include "experiments/results/run_record.h"

namespace lookahead {

/// Writes the result file of a run, which appears under its name when it is complete and on the disk. InputError with
/// the path if that fails.
void write_run(const RunRecord& record, const std::string& path);

}  // namespace lookahead
