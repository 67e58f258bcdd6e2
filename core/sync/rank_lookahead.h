#pragma once

#include <span>
#include <vector>

#include "core/lp/model.h"
#include "core/time/time.h"

namespace lookahead {

/// How soon what happens on one rank can reach another; kTimeInfinity where it cannot.
class RankLookahead {
  public:
    RankLookahead(const Model&, std::span<const int> rank_of_lp, int ranks);

    int ranks() const { return ranks_; }
    /// The shortest channel from LPs of one rank to LPs of another, or among the LPs of one rank.
    Time direct(int from, int to) const { return direct_[index(from, to)]; }
    /// The shortest way over one or more channels between ranks; from a rank to itself by way of another.
    Time shortest_path(int from, int to) const { return paths_[index(from, to)]; }
    /// The shortest channel into a rank from any other.
    Time least_into(int to) const;

  private:
    std::size_t index(int from, int to) const {
        return static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(to);
    }
    void find_direct(const Model&, std::span<const int> rank_of_lp);
    void find_paths();

    int ranks_;
    std::vector<Time> direct_;
    std::vector<Time> paths_;
};

}  // namespace lookahead
