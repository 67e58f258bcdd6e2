#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "partitioning/placement/cluster.h"

namespace lookahead {

/// The times of a log's windows on a cluster, in seconds.
struct ReplayTimes {
    double seconds = 0;
    double compute = 0;                ///< computing time of the rank that computes most
    double messages = 0;               ///< time to write messages and to take them out, of the rank that takes most
    double overhead = 0;               ///< time to find and share work, of the rank that takes most
    std::uint64_t packets = 0;         ///< packets that each rank sends
    std::uint64_t shared_windows = 0;  ///< windows whose work threads share, counted for each rank
};

/// Goes through the windows of a log as the protocol `window` does on a cluster: computes each rank's times and waits.
///
/// In a window a rank examines its LPs, advances those with work, and exchanges packets with the others (Routes). It
/// advances LPs on several threads if that is quicker, and begins with the LP that has most work in the whole run. Its
/// next window begins when it knows the bounds of all ranks. At the end of an epoch all ranks wait for all, and each
/// examines its LPs once more. The messages of a rank are distributed over the windows like its computing time.
class WindowReplay {
  public:
    /// Throws InternalError if the partition's or the log's sizes do not fit.
    WindowReplay(const LoggedWindows&, std::span<const int> rank_of_lp, const Cluster&);

    /// Replays each window whole, or in halves if on each rank at least half of the LPs have work (WindowProtocol):
    /// then a rank is half a window ahead of the packets that it has seen.
    ReplayTimes run(bool halves) const;

    /// The computing time of all LPs.
    double work() const { return work_; }
    /// The computing time of the slowest rank of each window, on its threads, which no network can reduce.
    double critical_path() const;

  private:
    struct Rank {
        std::vector<std::uint32_t> processes;  ///< LPs, the one with most work first
        double messages = 0;                   ///< messages written and taken out, also those that it passes on
        double work = 0;                       ///< computing time in all windows, in seconds
    };
    /// A rank's part of a window.
    struct Share {
        double work = 0;         ///< computing time of its LPs, in seconds
        double seconds = 0;      ///< wall time that they take
        bool is_shared = false;  ///< whether threads share the work
        bool is_busy = false;    ///< at least half of its LPs have something to do
    };

    /// The time of a window, or half of one, for a rank, in seconds; and the bytes of the messages that it writes.
    struct Cost {
        double compute = 0;
        double messages = 0;
        double overhead = 0;
        double bytes = 0;
    };

    void count_messages(std::span<const int> rank_of_lp);
    Share compute(const Rank&, std::size_t window) const;
    std::vector<Share> shares(std::size_t window) const;
    double on_threads(const Rank&, std::size_t window) const;
    /// The time to examine the LPs in a window, in seconds.
    double looking(const Rank&) const;
    Cost cost(const Rank&, const Share&, bool is_half) const;

    LoggedWindows log_;
    Cluster cluster_;
    std::vector<Rank> ranks_;
    double work_ = 0;
};

}  // namespace lookahead
