#pragma once

#include <span>
#include <vector>

#include "core/lp/model.h"
#include "core/time/time.h"

namespace lookahead {

/// The least time in which an event on one rank can affect another; kTimeInfinity if it cannot. For reports: it takes
/// memory for every pair of ranks.
class RankLookahead {
  public:
    RankLookahead(const Model&, std::span<const int> rank_of_lp, int ranks);

    int ranks() const { return ranks_; }
    /// The shortest channel from LPs of one rank to LPs of another, or among the LPs of one rank.
    Time direct(int from, int to) const { return direct_[index(from, to)]; }

  private:
    std::size_t index(int from, int to) const {
        return static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(to);
    }

    int ranks_;
    std::vector<Time> direct_;
};

}  // namespace lookahead
