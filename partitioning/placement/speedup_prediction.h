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
    double work_seconds = 0;           ///< CPU time of all LPs
    double one_core_seconds = 0;       ///< with one rank and one thread
    double critical_path_seconds = 0;  ///< of the slowest rank of each window, which no network makes shorter
    ReplayTimes times;                 ///< on the cluster
    bool halves = false;               ///< whether half windows are the quicker way

    double speedup() const { return times.seconds > 0 ? one_core_seconds / times.seconds : 1; }
    /// A text with the inputs, and the parts of the time.
    std::string text() const;
    /// The same as one JSON object.
    std::string json() const;
};

/// Predicts the times of the logged run under this partition. Throws InternalError if the log's sizes do not fit.
SpeedupPrediction predict_speedup(const LoggedWindows&, std::span<const int> rank_of_lp, const Cluster&);

}  // namespace lookahead
