#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "core/lp/model.h"
#include "core/time/time.h"

namespace lookahead {

/// What simulating one LP cost. Depends on the host: never part of a run's results.
struct ProcessLoad {
    double seconds = 0;          ///< of the host's time, spent in advancing it
    std::uint64_t advances = 0;  ///< calls of LogicalProcess::advance
};

/// What every window cost, and who wrote to whom: from it the time on any other partition can be computed.
struct WindowLog {
    std::vector<Time> start;                 ///< by window: the time of its first event
    std::vector<std::uint32_t> nanoseconds;  ///< [window * LPs + LP]
    std::vector<std::uint64_t> messages;     ///< [sender * all LPs + receiver]
};

/// All LPs of a run.
struct RunProfile {
    std::vector<int> rank;  ///< by LP
    std::vector<ProcessLoad> loads;
    WindowLog windows;  ///< empty unless asked for
};

/// Measures one rank's LPs: always their total time, on request also its windows.
class ProcessProfile {
  public:
    /// `lps`: all of the model; `ids`: those of this rank.
    ProcessProfile(const Model& model, std::vector<LpId> ids, bool log_windows);

    /// The processor's counter, from which the times below are taken. It runs at a constant rate.
    static std::uint64_t now();
    /// LP number `index` of this rank was advanced since `begin`. Returns now(). Several threads may call it, each for LPs
    /// of its own.
    std::uint64_t advanced(std::size_t index, std::uint64_t begin) {
        const std::uint64_t end = now();
        ticks_[index] += end - begin;
        ++advances_[index];
        return end;
    }

    /// Counts for each LP of this rank since the run began.
    std::span<const std::uint64_t> ticks() const { return ticks_; }

    bool logs() const { return logs_; }
    /// A window begins at `start`; the time charged from here on is its own. Both are called by the thread that advances
    /// its LPs. What the host took from that thread for another one is charged to no LP of the log: many ranks on few cores
    /// measure as well as one.
    void begin_window(Time start);
    void end_window();
    /// LP number `receiver` of this rank got a message that came through a channel.
    void delivered(std::size_t receiver, std::uint32_t channel) {
        ++messages_[sender_of_channel_[channel] * ids_.size() + receiver];
    }

    /// By LP of this rank, in the order of `ids`.
    std::vector<ProcessLoad> loads() const;
    /// Its LPs' columns in the order of `ids`: nanoseconds[window * ids + i], messages[sender * ids + i].
    WindowLog log() const;
    const std::vector<LpId>& ids() const { return ids_; }

  private:
    double seconds_per_tick() const;

    std::vector<LpId> ids_;
    bool logs_;
    std::vector<std::uint64_t> ticks_;
    std::vector<std::uint64_t> advances_;
    std::uint64_t first_tick_;
    std::chrono::steady_clock::time_point first_time_;

    std::vector<Time> starts_;
    std::vector<std::uint64_t> ticks_before_;  ///< by LP, when the window began
    std::uint64_t window_tick_ = 0;            ///< and of the processor's counter
    std::uint64_t window_cpu_ = 0;             ///< and of the thread's CPU time, in nanoseconds
    std::vector<std::uint32_t> nanoseconds_;
    std::vector<LpId> sender_of_channel_;
    std::vector<std::uint64_t> messages_;
};

}  // namespace lookahead
