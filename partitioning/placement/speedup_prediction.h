#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "partitioning/placement/window_replay.h"

namespace lookahead {

/// What a logged run would take on a cluster. The protocol `window` tries whole and half windows and takes what is sooner; so does
/// this.
struct SpeedupPrediction {
    Cluster cluster;
    std::size_t windows = 0;
    double work_seconds = 0;           ///< the CPU's time of all LPs
    double one_core_seconds = 0;       ///< one rank, one thread
    double critical_path_seconds = 0;  ///< the slowest rank of each window: no network makes it shorter
    ReplayTimes times;                 ///< on the cluster
    bool halves = false;               ///< is the better of the two
    bool is_staggered = false;         ///< in steps of two sides instead

    double speedup() const { return times.seconds > 0 ? one_core_seconds / times.seconds : 1; }
    /// For reading: inputs, and where the time goes.
    std::string text() const;
    /// The same as one JSON object.
    std::string json() const;
};

/// By the protocol `window` or, given the side of each LP, by `staggered`. InternalError if the log's sizes do not fit.
SpeedupPrediction predict_speedup(const LoggedWindows&, std::span<const int> rank_of_lp, const Cluster&,
                                  std::span<const std::uint8_t> side_of_lp = {});

}  // namespace lookahead
