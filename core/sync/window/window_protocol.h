#pragma once

#include <cstdint>

#include "core/sync/sync_protocol.h"
#include "core/sync/trial.h"

namespace lookahead {

/// All ranks go from window to window together. A packet carries a rank's batch and its lower bound at once; each
/// rank takes the least of all bounds itself, so that there is no reduction besides.
///
/// They tell a bound for each source (source.h): below all events of a kind of LP anywhere, and all messages under way to
/// them. SourceLookahead says how far each kind on each rank may go from there. The next bounds are at or after the last
/// ones, whatever the ranks' horizons were.
///
/// Where on every rank most LPs have something to do, ranks may go half of the way to the horizon, send a packet, and go on to it before
/// they look at what the others sent half-way; that allows the half after it, and so on. So each may be half a window ahead of
/// the others, and one that has more to do in this window than in the next is not waited for. (What a rank does beyond the
/// bounds that all know is brought about by what they bound: it reaches nobody before the horizon that follows from them.)
/// It takes twice as many packets: where a rank was blocked for a notable part of the time, they find out by trying both
/// whether they do so. What they decide by is what all of them know: the longest time that any rank took, and was blocked.
class WindowProtocol final : public SyncProtocol {
  public:
    explicit WindowProtocol(const SyncArguments& arguments);
    void run_epoch(std::span<const Time> earliest, Time boundary) override;

  private:
    struct Bounds {
        SourceTimes pending = all_at<kSourceCount>(0);
        // In the step before, of the rank that has most:
        std::uint64_t idles = 0;        ///< 1: fewer than half of its LPs had something to do
        std::uint64_t advances = 0;     ///< calls of LogicalProcess::advance
        std::uint64_t nanoseconds = 0;  ///< of the host's time
        std::uint64_t blocked = 0;      ///< of that, waiting for others and moving packets
        void join(const Bounds& other);
    };

    bool choose_halves();
    /// Returns how many LPs were advanced, each as often as it was.
    std::uint64_t advance_to(const KindTimes& horizons);
    /// By kind, up to where the bounds let this rank go: halfway from the earliest of them, if so asked.
    KindTimes horizons(Time boundary, bool halfway) const;
    /// Returns what it tells all others. In rounds this begins the first one.
    Bounds send(std::uint64_t advances);
    /// The packets of all others that go with those in which this rank told them this, and the further rounds: then the
    /// bounds of all are known.
    void receive(const Bounds& told);
    void send_batch(std::size_t number, const Bounds& told);

    bool may_halve_;  ///< a log of windows is of such as all ranks begin and end together
    bool halves_always_;
    Bounds known_;         ///< of all ranks; nothing happens between two epochs that could lower them
    Time first_ = 0;       ///< the least of them
    KindTimes reached_{};  ///< in this epoch

    Trial halving_;
    bool halves_ = false;
    bool is_trial_ = false;  ///< of the stretch that goes on
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
