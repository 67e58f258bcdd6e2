#pragma once

#include <cstdint>

#include "core/sync/sync_protocol.h"
#include "core/sync/trial.h"

namespace lookahead {

/// All ranks go from window to window together. A packet carries a rank's batch and its lower bounds at once; each rank
/// takes the least of all bounds itself, so that no reduction is needed.
///
/// The ranks exchange a lower bound for each source (source.h): of the times of all its pending events and messages.
/// SourceLookahead computes how far each kind on each rank may advance. The next bounds are at or after the last ones,
/// whatever the ranks' horizons were.
///
/// If at least half of the LPs of every rank have work, ranks may advance half-way to the horizon, send a packet, and
/// go on to the horizon before they read the others' half-way packets; these allow the next half, and so on. So each
/// may be half a window ahead of the others, and a rank with more work in this window than in the next is not waited
/// for. (A rank's events beyond the shared bounds are caused by events within them, so their messages arrive at or
/// after the horizon.) This takes twice as many packets: if a rank was blocked for a notable part of the time, the
/// ranks try both ways. They decide by values that all of them know: the longest time that any rank took, and the
/// longest that any was blocked.
class WindowProtocol final : public SyncProtocol {
  public:
    explicit WindowProtocol(const SyncArguments& arguments);
    void run_epoch(std::span<const Time> earliest, Time boundary) override;

  private:
    struct Bounds {
        SourceTimes pending = all_at<kSourceCount>(0);
        // The greatest values of all ranks, in the previous step:
        std::uint64_t idles = 0;        ///< 1: fewer than half of its LPs had work
        std::uint64_t advances = 0;     ///< calls of LogicalProcess::advance
        std::uint64_t nanoseconds = 0;  ///< wall time
        std::uint64_t blocked = 0;      ///< of that, nanoseconds of waiting for others and moving packets
        void join(const Bounds& other);
    };

    bool choose_halves();
    /// Returns the number of calls of LogicalProcess::advance.
    std::uint64_t advance_to(const KindTimes& horizons);
    /// By kind, how far the bounds let this rank advance; if `halfway`, half of the way there from the earliest bound.
    KindTimes horizons(Time boundary, bool halfway) const;
    /// Sends this rank's bounds and batches to all others, or in rounds those of the first round. Returns the bounds.
    Bounds send(std::uint64_t advances);
    /// Receives the packets of all others that belong to the step in which this rank sent `told`, and does the further
    /// rounds. Then the bounds of all ranks are known.
    void receive(const Bounds& told);
    void send_batch(std::size_t number, const Bounds& told);

    bool may_halve_;  ///< false if windows are logged: all ranks must begin and end a logged window together
    bool halves_always_;
    Bounds known_;         ///< for all ranks; nothing happens between two epochs that could lower them
    Time first_ = 0;       ///< the least of these bounds
    KindTimes reached_{};  ///< in this epoch

    Trial halving_;
    bool halves_ = false;
    bool is_trial_ = false;  ///< whether the current stretch is part of the trial
    /// Sums over the busy steps since the last choice.
    struct Stretch {
        unsigned steps = 0;
        std::uint64_t advances = 0;
        std::uint64_t nanoseconds = 0;
        std::uint64_t blocked = 0;
        Time gone = 0;
    };
    Stretch stretch_;
    Time last_earliest_ = 0;  ///< first_ at the step before
    TraceSink::Clock::time_point sent_;
    double blocked_before_ = 0;  ///< seconds
};

}  // namespace lookahead
