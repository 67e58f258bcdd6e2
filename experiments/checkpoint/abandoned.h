#pragma once

#include <string>

namespace lookahead {

/// Removes what runs of the workload that were killed while they wrote a checkpoint have left in the folder. A file that
/// is being written stays: HDF5 locks it.
void remove_abandoned_checkpoints(const std::string& folder, const std::string& workload);

}  // namespace lookahead
