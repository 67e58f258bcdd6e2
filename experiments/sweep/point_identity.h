#pragma once

#include <string>
#include <vector>

#include "experiments/sweep/plan.h"

namespace lookahead {

/// SweepPoint::key of the run with this id, by a program (program_hash), on files with these hashes (hash_of_file).
std::string point_key(const std::string& run_id, const std::string& program,
                      const std::vector<std::string>& input_hashes);

/// Why the result in a file is not that of the point, as `program` (program_hash of this one) has it: a sentence; empty if
/// it is. InputError if it cannot be read.
std::string fault_of_result(const SweepPoint& point, const std::string& file, const std::string& program);

}  // namespace lookahead
