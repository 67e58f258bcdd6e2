#pragma once

#include <string>
#include <vector>

#include "experiments/results/run_record.h"

namespace lookahead {

/// The revision of the source that the program was built from.
std::string git_revision();
/// The compiler and its version.
std::string compiler();

/// The linker's identifier of this program: equal for every copy and different for other programs, because programs of
/// one revision may be built in different ways. Empty if the linker gave none.
std::string build_id();

/// argv, revision, compiler, host and the present time as the start; the rest is the caller's.
RunMeta make_run_meta(std::vector<std::string> argv);

/// A hash of the file's bytes for RunMeta::inputs; InputError if it cannot be read.
std::string hash_of_file(const std::string& path);

/// The largest resident memory of this process up to now.
std::uint64_t peak_resident_bytes();

}  // namespace lookahead
