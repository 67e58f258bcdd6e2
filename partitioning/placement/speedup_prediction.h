#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "partitioning/placement/window_replay.h"

namespace lookahead {

/// The predicted time of a logged run on a cluster. Like the protocol `window` it tries whole and half windows and
/// takes the quicker way.
struct SpeedupPrediction {
    Cluster cluster;
    std::size_t windows = 0;
    double work_seconds = 0;           ///< the CPU's time of all LPs
    double one_core_seconds = 0;       ///< one rank, one thread
    double critical_path_seconds = 0;  ///< the slowest rank of each window: no network makes it shorter
    ReplayTimes times;                 ///< on the cluster
    bool halves = false;               ///< is the better of the two

    double speedup() const { return times.seconds > 0 ? one_core_seconds / times.seconds : 1; }
    /// A text with the inputs, and the parts of the time.
    std::string text() const;
    /// The same as one JSON object.
    std::string json() const;
};

/// InternalError if the log's sizes do not fit.
SpeedupPrediction predict_speedup(const LoggedWindows&, std::span<const int> rank_of_lp, const Cluster&);

}  // namespace lookahead
