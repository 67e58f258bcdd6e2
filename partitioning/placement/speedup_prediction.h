#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lookahead {

/// What the host's ranks need for each other, measured by `lookahead bench window` and `bench ranks`.
struct SynchronisationCost {
    double window_seconds = 0.4e-6;  ///< an empty window on two ranks: one packet to and one from the other rank
    double message_seconds = 40e-9;  ///< a message to another rank, beyond what it costs within a rank
};

/// A logged run (WindowLog): the CPU's time of every LP in every window, and the messages between LPs.
struct LoggedWindows {
    std::span<const std::uint32_t> nanoseconds;  ///< [window * LPs + LP]
    std::span<const std::uint64_t> messages;     ///< [sender * LPs + receiver]
    std::size_t processes = 0;                   ///< LPs

    std::size_t windows() const { return processes == 0 ? 0 : nanoseconds.size() / processes; }
};

/// The time of a run on R ranks that meet after every window:
///
///     T(R) = sum over windows w of (max over ranks r of the sum over r's LPs p of c(p, w))
///          + W (R - 1) s + max over r of m(r) k
///
/// c: CPU time of an LP in a window; W: windows; s: window_seconds, of which a rank pays one for each other rank, to
/// which it sends a packet and from which it gets one; m(r): messages to and from other ranks; k: message_seconds.
/// T(1) is the first sum for one rank, which is all the work.
struct SpeedupPrediction {
    int ranks = 1;
    std::size_t windows = 0;
    double one_rank_seconds = 0;
    double critical_path_seconds = 0;    ///< the first sum: the slowest rank of each window
    double synchronisation_seconds = 0;  ///< the second
    double message_seconds = 0;          ///< the third
    double greatest_load_seconds = 0;    ///< of the busiest rank over the whole run: no window order can beat it

    double seconds() const { return critical_path_seconds + synchronisation_seconds + message_seconds; }
    double speedup() const { return seconds() > 0 ? one_rank_seconds / seconds() : 1; }
    /// For reading: formula, inputs and where the time goes.
    std::string text(const SynchronisationCost&) const;
};

/// InternalError if the log's sizes do not fit `rank_of_lp`.
SpeedupPrediction predict_speedup(const LoggedWindows&, std::span<const int> rank_of_lp, int ranks,
                                  const SynchronisationCost&);

}  // namespace lookahead
