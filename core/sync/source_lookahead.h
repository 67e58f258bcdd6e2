#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/lp/model.h"
#include "core/port/source.h"
#include "core/time/time.h"

namespace lookahead {

/// Computes how far one rank may advance, from lower bounds of all pending events and messages.
///
/// Every arrival ends a chain: an event or message that is pending now at an LP x makes x send through a channel, which
/// makes the receiver send through another, and so on. So no message arrives at an LP y before
///
///     min over all x of (next(x) + the shortest path over one or more channels from x to y).
///
/// A path from x to y is no shorter than the shortest path from any LP of x's kind to any LP of y's kind, with each
/// channel as short as the shortest between those two kinds. With few kinds a small table represents the whole graph,
/// and one bound per source represents all pending events and messages. Messages that are answered only are a separate
/// source, which only the answers' channels leave.
///
/// So each kind of LP has its own horizon. An LP with a short channel to one other LP alone is bounded by the way there
/// and back, two channels; only that other LP is bounded by the one channel.
class SourceLookahead {
  public:
    SourceLookahead(const Model&, std::span<const int> rank_of_lp, int rank, int ranks);

    std::uint8_t kind_of(LpId lp) const { return kinds_[lp]; }

    /// By kind, a lower bound of the times of messages that arrive from other ranks at LPs of this one, and of messages
    /// on this rank that those cause. `pending` is a bound for all ranks, this one included.
    KindTimes from_elsewhere(const SourceTimes& pending) const { return earliest(pending, from_elsewhere_); }
    /// The same for LPs of each kind on any rank: how far all ranks with such LPs may advance. Ranks that take windows
    /// together would lose by going farther: if one rank alone has an LP with short channels, the other ranks would
    /// have the longer windows when that rank has the shorter ones, and each would wait for the other in turn.
    KindTimes from_elsewhere_at_any_rank(const SourceTimes& pending) const { return earliest(pending, at_any_rank_); }
    /// By kind, a lower bound of the times of messages that LPs of this rank cause at each other without other ranks.
    /// `pending` is a bound for this rank.
    KindTimes from_within(const SourceTimes& pending) const { return earliest(pending, within_); }
    /// A lower bound of the times of messages from LPs of this rank to another rank, if no more messages come to these
    /// LPs.
    Time to_rank(int rank, const SourceTimes& pending) const;
    /// The shortest channel from LPs of this rank to those of another; kTimeInfinity if there is none.
    Time direct(int rank) const;

  private:
    /// [source][kind]: the least time from one to the other; kTimeInfinity without a path.
    using Table = std::array<KindTimes, kSourceCount>;

    /// The shortest channels, by source and kind of the receiver.
    struct Channels {
        Table all;
        std::vector<Table> within;          ///< by rank: between its LPs
        std::vector<Table> from_elsewhere;  ///< by rank: from LPs of other ranks to its own
    };

    void find_kinds(const Model&);
    Channels find_channels(const Model&, std::span<const int> rank_of_lp, int rank, int ranks);
    static KindTimes earliest(const SourceTimes& pending, const Table& ways);

    std::vector<std::uint8_t> kinds_;  ///< by LP
    Table from_elsewhere_;
    Table at_any_rank_;
    Table within_;
    std::vector<SourceTimes> to_rank_;     ///< by rank: the shortest channels there
    std::vector<SourceTimes> by_any_way_;  ///< by rank: the shortest paths there over LPs of this rank
};

}  // namespace lookahead
