#pragma once

#include <vector>

#include "core/sync/sync_protocol.h"
#include "core/transport/waiting.h"

namespace lookahead {

/// Each rank advances as far as the promises of the others allow, without waiting for other ranks.
///
/// A packet from a rank carries, besides its batch:
///  - a promise: no message of the sender will arrive at the receiver before this time;
///  - lower bounds of its own events and messages, by source, and the numbers of batches that it has sent to and
///    received from every rank;
///  - whether it is done with this epoch: no more messages will come before the next.
///
/// Promises alone advance over idle time by one lookahead after another. The counts let a rank look further: if for
/// every pair the number sent, as last reported by the sender, equals the number received, as last reported by the
/// receiver, then the reports form a consistent cut in which no batch was under way. All later events follow from the
/// events in the cut, so no message arrives before the time that SourceLookahead computes from the least of all ranks'
/// bounds. Without events that time is infinite, and every rank knows that the epoch is over.
///
/// In models whose LPs send to most others every rank is a neighbour of all ranks: it reports by a packet to each, with
/// counts for all. Therefore the number of ranks is bounded (SyncDescription): on two cores 16 ranks take twice as long
/// as with windows, and 32 take 16 times as long. For more ranks use windows, whose packets go in rounds.
class NullMessageProtocol final : public SyncProtocol {
  public:
    explicit NullMessageProtocol(const SyncArguments& arguments);
    void run_epoch(std::span<const Time> earliest, Time boundary) override;

  private:
    static constexpr int kMostLooks = 2000;  ///< checks before it yields; each looks for packets of all other ranks

    struct Telling {
        SourceTimes pending = all_at<kSourceCount>(0);
        bool done = false;
        std::vector<std::uint64_t> sent;
        std::vector<std::uint64_t> received;
        bool operator==(const Telling&) const = default;
    };

    void begin_epoch(std::span<const Time> earliest, Time boundary);
    Time horizon() const;
    void update_cut_bound();
    bool cut_is_consistent() const;
    void tell(Time horizon, bool done);
    void send_to(std::size_t to, Time promise);
    void take(std::size_t from, std::span<const std::byte> packet);
    bool take_all_that_came();
    void wait_for_any();
    void wait_until_all_are_done();

    std::size_t rank_;
    std::size_t ranks_;
    std::vector<Telling> tellings_;  // by rank, including this one
    std::vector<Time> promised_;     // by the other ranks to this one; this rank's own entry is infinity
    std::vector<Time> promises_;     // by this rank to the others
    Telling last_told_;
    Time cut_bound_ = 0;  // no message arrives here before it
    Time boundary_ = 0;
    Waiting waiting_;
};

}  // namespace lookahead
