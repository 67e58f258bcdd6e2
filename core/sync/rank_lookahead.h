#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/sync/receivers.h"

namespace lookahead {

/// The lookahead between ranks: the shortest channel for each pair of ranks, kTimeInfinity if there is none. For
/// reports only, because it takes memory for every pair of ranks.
class RankLookahead {
  public:
    RankLookahead(const Model& model, std::span<const int> rank_of_lp, int ranks)
        : ranks_(ranks), direct_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks), kTimeInfinity) {
        Receivers receivers(model, rank_of_lp, ranks, {});
        for (const ChannelDescription& channel : model.channels()) {
            for (const auto& [kind, to] : receivers.find(channel)) {
                Time& least = direct_[index(rank_of_lp[channel.from], to)];
                least = std::min(least, channel.lookahead);
            }
        }
    }

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
