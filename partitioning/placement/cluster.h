#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lookahead {

inline constexpr double kNanosecond = 1e-9;
inline constexpr double kMicrosecond = 1e-6;
inline constexpr double kGigabyte = 1e9;

/// A logged run (WindowLog): the CPU time of every LP in every window, and the messages between LPs.
struct LoggedWindows {
    std::span<const std::uint32_t> nanoseconds;    ///< [window * LPs + LP]
    std::span<const std::uint64_t> messages;       ///< [sender * LPs + receiver]
    std::size_t processes = 0;                     ///< LPs
    std::span<const std::uint8_t> begins_epoch{};  ///< by window: 1 for the first of an epoch; empty if unknown

    bool ends_epoch_before(std::size_t window) const { return !begins_epoch.empty() && begins_epoch[window] != 0; }
    std::size_t windows() const { return processes == 0 ? 0 : nanoseconds.size() / processes; }
    /// Each LP's time in all windows, in seconds.
    std::vector<double> work() const;
    /// InternalError if the sizes are inconsistent, or do not fit `lps` LPs.
    void check(std::size_t lps) const;
};

/// The places of ranks, and the costs of their communication. The defaults are for the cores of a virtual machine
/// (tests/performance/predicted.py measures them) and, between nodes, for a network of 2 us and 100 Gbit/s.
struct Cluster {
    int ranks = 1;
    int nodes = 1;    ///< neighbouring ranks share a node
    int threads = 1;  ///< of each rank

    double latency_us = 2;          ///< of a packet between two nodes
    double local_latency_us = 0.1;  ///< of a packet between two ranks of a node
    double gigabytes_per_s = 12.5;  ///< of a node's link to the others
    double packet_us = 0.1;         ///< time of the sending core for a packet, and again of the receiving core
    double message_ns = 20;         ///< time of a core to write a message into a packet, and again to take it out
    double message_bytes = 48;      ///< mean size of a message with its header
    double process_ns = 20;         ///< time to find out whether an LP has something to do in a window
    double share_us = 1.5;          ///< time to let a rank's threads into a window and to wait until they have left it
    double slowdown = 1;            ///< factor by which a core is slower while the others of its node are busy
    double rank_slowdown = 1;  ///< the same if the others run other ranks, so that each has fewer LPs in its caches
    double half_work = 1.17;   ///< time to compute a window in two halves over that in one: caches are filled twice

    /// The time that `bytes` bytes take from one rank to another, in seconds; a node's ranks share its link.
    double way(std::size_t from, std::size_t to, double bytes) const;
    /// The time that a few words take from each rank to all others, by doubling, in seconds.
    double all_gather() const;
    /// The factor by which a core is slower beside its node's other ranks, if there are any.
    double slowdown_by_ranks() const { return ranks > nodes ? rank_slowdown : 1; }
};

}  // namespace lookahead
