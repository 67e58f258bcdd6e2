#pragma once

#include <string>
#include <vector>

#include "experiments/sweep/plan.h"

namespace lookahead {

/// The SweepPoint::key of the run with this id, by a program (program_hash), on files with these hashes (hash_of_file).
std::string point_key(const std::string& run_id, const std::string& program,
                      const std::vector<std::string>& input_hashes);

/// Why the result in a file does not belong to the point and `program` (this one's program_hash), as a sentence; empty
/// if it does. InputError if the file cannot be read.
std::string fault_of_result(const SweepPoint& point, const std::string& file, const std::string& program);

}  // namespace lookahead
