#pragma once

#include <array>
#include <cstdint>

namespace lookahead {

/// The counts and times of one rank's engine. They depend on ranks, partition, protocol and host, and are never part of
/// a run's results.
struct EngineStatistics {
    double compute_seconds = 0;  ///< wall time spent advancing LPs
    double blocked_seconds = 0;  ///< wall time spent waiting for other ranks and moving packets
    std::uint64_t events = 0;    ///< messages delivered to LPs
    std::uint64_t advances = 0;  ///< calls of LogicalProcess::advance, including those skipped for an LP that threw
    std::uint64_t remote_messages = 0;  ///< messages sent to other ranks
    std::uint64_t remote_bytes = 0;     ///< bytes of all packets sent
    std::uint64_t packets = 0;          ///< MPI messages sent
    std::uint64_t null_messages = 0;    ///< packets without any message
    std::uint64_t windows = 0;          ///< windows between two synchronisations with other ranks
    std::uint64_t inner_windows = 0;    ///< windows between which LPs of this rank exchange messages
    std::uint64_t shared_windows = 0;   ///< inner windows in which several threads may have advanced LPs
    std::uint64_t epochs = 0;
    std::array<std::uint64_t, 64> window_lengths{};  ///< [i]: windows of 2^i .. 2^(i+1) - 1 fs
};

}  // namespace lookahead
