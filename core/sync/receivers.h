#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/error/error.h"
#include "core/lp/model.h"

namespace lookahead {

/// Finds the kinds and the ranks of a channel's receivers. Remembers the last answer, since many LPs fan out to the
/// same run of LPs.
class Receivers {
  public:
    /// kinds[lp]; if empty, all LPs are of kind 0. InternalError if the partition does not fit the model and the ranks.
    Receivers(const Model& model, std::span<const int> rank_of_lp, int ranks, std::span<const std::uint8_t> kinds)
        : rank_of_lp_(rank_of_lp), kinds_(kinds) {
        LOOKAHEAD_ASSERT(rank_of_lp.size() == model.processes().size(), "the partition does not cover the model's LPs");
        for (const int rank : rank_of_lp) {
            LOOKAHEAD_ASSERT(rank >= 0 && rank < ranks, "the partition names rank {}", rank);
        }
    }

    /// The kinds and ranks of the channel's receivers, each pair once.
    std::span<const std::pair<std::uint8_t, int>> find(const ChannelDescription& channel) {
        if (channel.count != count_ || channel.to != first_) {
            first_ = channel.to;
            count_ = channel.count;
            found_.clear();
            for (LpId lp = first_; lp < first_ + count_; ++lp) {
                found_.emplace_back(kinds_.empty() ? 0 : kinds_[lp], rank_of_lp_[lp]);
            }
            std::ranges::sort(found_);
            const auto rest = std::ranges::unique(found_);
            found_.erase(rest.begin(), rest.end());
        }
        return found_;
    }

  private:
    std::span<const int> rank_of_lp_;
    std::span<const std::uint8_t> kinds_;
    LpId first_ = 0;
    std::uint32_t count_ = 0;
    std::vector<std::pair<std::uint8_t, int>> found_;
};

}  // namespace lookahead
