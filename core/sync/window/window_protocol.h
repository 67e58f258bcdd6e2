#pragma once

#include <cstdint>

#include "core/sync/sync_protocol.h"
#include "core/sync/trial.h"

namespace lookahead {

/// All ranks go from window to window together. A packet carries a rank's batch and its lower bound at once; each
/// rank takes the least of all bounds itself, so that there is no reduction besides.
///
/// The ranks exchange a lower bound for each source (source.h): of all events of a kind of LP, and of all messages
/// under way to them. SourceLookahead computes how far each kind on each rank may advance. The next bounds are at or
/// after the last ones, whatever the ranks' horizons were.
///
/// If most LPs of every rank have work, ranks may advance half-way to the horizon, send a packet, and go on to the
/// horizon before they read the others' half-way packets; these allow the next half, and so on. So each may be half a
/// window ahead of the others, and a rank with more work in this window than in the next is not waited for. (A rank's
/// events beyond the shared bounds are caused by events within them, so their messages arrive at or after the horizon.)
/// This takes twice as many packets: if a rank was blocked for a notable part of the time, the ranks try both ways.
/// They decide by values that all of them know: the longest time that any rank took, and was blocked.
class WindowProtocol final : public SyncProtocol {
  public:
    explicit WindowProtocol(const SyncArguments& arguments);
    void run_epoch(std::span<const Time> earliest, Time boundary) override;

  private:
    struct Bounds {
        SourceTimes pending = all_at<kSourceCount>(0);
        // Of the rank with most, in the previous step:
        std::uint64_t idles = 0;        ///< 1: fewer than half of its LPs had work
        std::uint64_t advances = 0;     ///< calls of LogicalProcess::advance
        std::uint64_t nanoseconds = 0;  ///< of the host's time
        std::uint64_t blocked = 0;      ///< of that, waiting for others and moving packets
        void join(const Bounds& other);
    };

    bool choose_halves();
    /// Returns the number of LPs advanced, each counted as often as it was.
    std::uint64_t advance_to(const KindTimes& horizons);
    /// By kind, how far the bounds let this rank advance; if `halfway`, half of the way from the earliest of them.
    KindTimes horizons(Time boundary, bool halfway) const;
    /// Returns the bounds that it sends to all others. In rounds this begins the first round.
    Bounds send(std::uint64_t advances);
    /// Receives the packets of all others that belong to `told`, and does the further rounds: then the bounds of all
    /// are known.
    void receive(const Bounds& told);
    void send_batch(std::size_t number, const Bounds& told);

    bool may_halve_;  ///< a log of windows is of such as all ranks begin and end together
    bool halves_always_;
    Bounds known_;         ///< of all ranks; nothing happens between two epochs that could lower them
    Time first_ = 0;       ///< the least of them
    KindTimes reached_{};  ///< in this epoch

    Trial halving_;
    bool halves_ = false;
    bool is_trial_ = false;  ///< of the current stretch
    /// Sums over the busy steps since the last choice.
    struct Stretch {
        unsigned steps = 0;
        std::uint64_t advances = 0;
        std::uint64_t nanoseconds = 0;
        std::uint64_t blocked = 0;
        Time gone = 0;
    };
    Stretch stretch_;
    Time last_earliest_ = 0;  ///< at the step before
    TraceSink::Clock::time_point sent_;
    double blocked_before_ = 0;  ///< seconds
};

}  // namespace lookahead
