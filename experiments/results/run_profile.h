#pragma once

#include <string>
#include <vector>

#include "core/lp/model.h"
#include "core/sync/process_profile.h"
#include "core/time/time.h"

namespace lookahead {

/// The cost of the model's LPs in an earlier run, by LP: `/engine/per_process` of its result file; none for the host.
/// InputError if the file has no such group (before version 1.2), lacks an LP of the model, or measured nothing.
std::vector<double> read_process_seconds(const std::string& path, const Model&);

/// `/engine/per_window` of a run of the same machine. InputError if the run did not log its windows, or if its LPs are
/// not those of the model.
WindowLog read_window_log(const std::string& path, const Model&);

/// The epoch's length in a run, from the configuration in its result file. InputError if that has none.
Time read_epoch_length(const std::string& path);

}  // namespace lookahead
