#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/lp/model.h"
#include "core/port/source.h"
#include "core/time/time.h"

namespace lookahead {

/// How far one rank may go, from bounds below all that is pending.
///
/// Whatever arrives anywhere is the end of a chain: an event or message that is pending now, at an LP x, makes x send
/// through a channel, which makes its receiver send through another, and so on. So nothing arrives at an LP y before
///
///     min over all x of (next(x) + the shortest way over one or more channels from x to y).
///
/// A way from x to y is no shorter than the shortest one from any LP of x's kind to any of y's, each of its channels
/// taken as the shortest between those two kinds: with few kinds, a table of a few numbers stands for the whole graph, and
/// one bound for each source for all that is pending anywhere. Messages that are answered only are a source of their own,
/// from which the answers' channels are the only ones that lead on.
///
/// LPs of different kinds thus have horizons of their own. An SM's is that of what memory sends, or of what goes by way
/// of the dispatcher, two channels; only the dispatcher's own is that of the one channel to it.
class SourceLookahead {
  public:
    SourceLookahead(const Model&, std::span<const int> rank_of_lp, int rank, int ranks);

    std::uint8_t kind_of(LpId lp) const { return kinds_[lp]; }
    std::size_t kinds() const { return count_; }

    /// The side of a kind: 1, if its LPs speak neither to each other nor to those of other kinds of that side (SMs), else 0.
    /// Where kinds speak to each other the one with more LPs is on side 1.
    unsigned side_of(std::uint8_t kind) const { return sides_[kind]; }
    /// There is a kind on side 1.
    bool has_two_sides() const { return has_two_sides_; }

    /// By kind, a bound below what arrives from other ranks at LPs of this one, or is brought about here by what does:
    /// `pending` is a bound for all ranks, this one included.
    KindTimes from_elsewhere(const SourceTimes& pending) const { return earliest(pending, from_elsewhere_); }
    /// The same for LPs of this kind of any rank: where the ranks that have some may all go. Ranks that take windows together
    /// gain nothing by going farther, and lose: a rank that the dispatcher of another holds back would have the longer windows
    /// when the dispatcher's rank has the shorter ones, and each would wait for the other in turn.
    KindTimes from_elsewhere_at_any_rank(const SourceTimes& pending) const { return earliest(pending, at_any_rank_); }
    /// By kind, a bound below what LPs of this rank bring about at each other without any other rank: `pending` is a bound
    /// for this rank.
    KindTimes from_within(const SourceTimes& pending) const { return earliest(pending, within_); }
    /// Half of the shortest way from an LP of side 1 over others to one of that side; kTimeInfinity without two sides.
    Time half_way_back() const;
    /// A bound below what LPs of this rank send to another one, if nothing comes to them any more.
    Time to_rank(int rank, const SourceTimes& pending) const;
    /// The shortest channel from LPs of this rank to those of another; kTimeInfinity where there is none.
    Time direct(int rank) const;

  private:
    /// [source][kind]: the least time from one to the other; kTimeInfinity where no way leads.
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
    /// A way from elsewhere: any, then a channel into the rank, then any within it.
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
