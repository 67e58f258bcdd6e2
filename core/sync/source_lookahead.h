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
/// So each kind of LP has its own horizon. Messages from memory, or over the dispatcher (two channels), bound an SM;
/// only the dispatcher itself is bounded by its one incoming channel.
class SourceLookahead {
  public:
    SourceLookahead(const Model&, std::span<const int> rank_of_lp, int rank, int ranks);

    std::uint8_t kind_of(LpId lp) const { return kinds_[lp]; }
    std::size_t kinds() const { return count_; }

    /// The side of a kind: 1 if its LPs send neither to each other nor to other kinds of that side (SMs), else 0. If
    /// two kinds send to each other, the kind with more LPs is on side 1.
    unsigned side_of(std::uint8_t kind) const { return sides_[kind]; }
    /// There is a kind on side 1.
    bool has_two_sides() const { return has_two_sides_; }

    /// By kind, a lower bound of messages that arrive from other ranks at LPs of this one, and of messages here that
    /// those cause. `pending` is a bound for all ranks, this one included.
    KindTimes from_elsewhere(const SourceTimes& pending) const { return earliest(pending, from_elsewhere_); }
    /// The same for LPs of this kind on any rank: how far all ranks with such LPs may advance. Ranks that take windows
    /// together gain nothing by going farther, and lose: a rank that another rank's dispatcher bounds would have the
    /// longer windows when the dispatcher's rank has the shorter ones, and each would wait for the other in turn.
    KindTimes from_elsewhere_at_any_rank(const SourceTimes& pending) const { return earliest(pending, at_any_rank_); }
    /// By kind, a lower bound of messages that LPs of this rank cause at each other without other ranks. `pending` is a
    /// bound for this rank.
    KindTimes from_within(const SourceTimes& pending) const { return earliest(pending, within_); }
    /// Half of the shortest path from an LP of side 1 over others to an LP of that side; kTimeInfinity without two
    /// sides.
    Time half_way_back() const;
    /// A lower bound of messages from LPs of this rank to another rank, if no more messages come to them.
    Time to_rank(int rank, const SourceTimes& pending) const;
    /// The shortest channel from LPs of this rank to those of another; kTimeInfinity if there is none.
    Time direct(int rank) const;

  private:
    /// [source][kind]: the least time from one to the other; kTimeInfinity without a path.
    using Table = std::array<KindTimes, kSourceCount>;

    /// The shortest channels, by source and kind of the receiver.
    struct Channels {
        Table all;
        std::vector<Table> within;          ///< by rank: from and to its LPs
        std::vector<Table> from_elsewhere;  ///< by rank: from those of others to its own
    };

    void find_kinds(const Model&);
    void find_sides(const Table& channels);
    Channels find_channels(const Model&, std::span<const int> rank_of_lp, int rank);
    /// A path from elsewhere: any path, then a channel into the rank, then any path within it.
    static Table ways_from_elsewhere(const Table& all, const Table& into, const Table& within);
    static KindTimes earliest(const SourceTimes& pending, const Table& ways);

    std::vector<std::uint8_t> kinds_;  ///< by LP
    std::size_t count_ = 0;
    std::array<std::uint8_t, kMostKinds> sides_{};
    bool has_two_sides_ = false;
    Table from_elsewhere_;
    Table at_any_rank_;
    Table within_;
    std::vector<SourceTimes> to_rank_;     ///< the last channel alone
    std::vector<SourceTimes> by_any_way_;  ///< the same after any ways within this rank
};

}  // namespace lookahead
