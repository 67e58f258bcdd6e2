#pragma once

#include <string>

namespace lookahead {

/// Removes partial checkpoints that killed runs of the workload have left in the folder. A file that is being written
/// stays: HDF5 locks it.
void remove_abandoned_checkpoints(const std::string& folder, const std::string& workload);

}  // namespace lookahead
