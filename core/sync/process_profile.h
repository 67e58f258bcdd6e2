#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "core/lp/model.h"
#include "core/time/time.h"

namespace lookahead {

class Transport;

/// The cost of simulating one LP. Depends on the host: never part of a run's results.
struct ProcessLoad {
    double seconds = 0;          ///< the host's time spent in advancing the LP
    std::uint64_t advances = 0;  ///< calls of LogicalProcess::advance
};

/// The cost of every window, and the messages between LPs. The time on any other partition can be computed from it.
struct WindowLog {
    std::vector<Time> start;                 ///< by window: the time of its first event
    std::vector<std::uint32_t> nanoseconds;  ///< [window * LPs + LP]
    std::vector<std::uint64_t> messages;     ///< [sender * all LPs + receiver]
};

struct RunProfile {
    std::vector<int> rank;  ///< by LP
    std::vector<ProcessLoad> loads;
    WindowLog windows;  ///< empty unless asked for
};

/// Measures one rank's LPs: their total time, and on request also their time in each window.
class ProcessProfile {
  public:
    /// `lps`: all LPs of the model; `ids`: those of this rank.
    ProcessProfile(const Model& model, std::vector<LpId> ids, bool log_windows);

    /// Reads the processor's counter, which times the LPs. It runs at a constant rate.
    static std::uint64_t now();
    /// Charges the time since `begin` to LP number `index` of this rank, which was advanced in it. Returns now().
    /// Several threads may call it for different LPs.
    std::uint64_t advanced(std::size_t index, std::uint64_t begin) {
        const std::uint64_t end = now();
        ticks_[index] += end - begin;
        ++advances_[index];
        return end;
    }

    /// For each LP of this rank, the processor's counts that it has taken since the run began.
    std::span<const std::uint64_t> ticks() const { return ticks_; }

    bool logs() const { return logs_; }
    /// Begins a window at `start`; later time is charged to it. The thread that advances the LPs calls this and the
    /// next function. Time in which the host gave that thread's core to another is charged to no LP of the log, so that
    /// many ranks on few cores measure as well as one.
    void begin_window(Time start);
    void end_window();
    /// Counts a message that LP number `receiver` of this rank got through a channel.
    void delivered(std::size_t receiver, std::uint32_t channel) {
        ++log_.messages[sender_of_channel_[channel] * ids_.size() + receiver];
    }

    /// The loads of this rank's LPs, in the order of `ids`.
    std::vector<ProcessLoad> loads() const;
    /// The log with columns for this rank's LPs in the order of `ids`: nanoseconds[window * ids + i], messages[sender *
    /// ids + i].
    const WindowLog& log() const { return log_; }
    const std::vector<LpId>& ids() const { return ids_; }

  private:
    double seconds_per_tick() const;

    std::vector<LpId> ids_;
    bool logs_;
    std::vector<std::uint64_t> ticks_;
    std::vector<std::uint64_t> advances_;
    std::uint64_t first_tick_;
    std::chrono::steady_clock::time_point first_time_;

    WindowLog log_;
    std::vector<std::uint64_t> ticks_before_;  ///< by LP, when the window began
    std::uint64_t window_tick_ = 0;            ///< the processor's counter then
    std::uint64_t window_cpu_ = 0;             ///< the thread's CPU time then, in nanoseconds
    std::vector<LpId> sender_of_channel_;
};

/// Combines all ranks' profiles on rank 0. `processes`: the number of LPs of the model. Every rank calls it.
RunProfile gather_profile(Transport&, const ProcessProfile& mine, std::size_t processes);

}  // namespace lookahead
