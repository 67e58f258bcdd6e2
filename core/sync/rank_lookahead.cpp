#include "core/sync/rank_lookahead.h"

#include <algorithm>

#include "core/error/error.h"

namespace lookahead {
namespace {

/// The ranks of LPs first .. first + count - 1; remembers the last answer, since many LPs fan out to the same range.
class RangeRanks {
  public:
    RangeRanks(std::span<const int> rank_of_lp, int ranks) : rank_of_lp_(rank_of_lp), ranks_(ranks) {}

    const std::vector<int>& find(LpId first, std::uint32_t count) {
        if (count_ != 0 && first == first_ && count == count_) { return found_; }
        first_ = first;
        count_ = count;
        std::vector<bool> seen(static_cast<std::size_t>(ranks_), false);
        found_.clear();
        for (LpId lp = first; lp < first + count; ++lp) {
            const int rank = rank_of_lp_[lp];
            if (!seen[static_cast<std::size_t>(rank)]) {
                seen[static_cast<std::size_t>(rank)] = true;
                found_.push_back(rank);
            }
        }
        return found_;
    }

  private:
    std::span<const int> rank_of_lp_;
    int ranks_;
    LpId first_ = 0;
    std::uint32_t count_ = 0;
    std::vector<int> found_;
};

}  // namespace

RankLookahead::RankLookahead(const Model& model, std::span<const int> rank_of_lp, int ranks)
    : ranks_(ranks), direct_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks), kTimeInfinity) {
    LOOKAHEAD_ASSERT(rank_of_lp.size() == model.processes().size(), "the partition does not cover the model's LPs");
    for (const int rank : rank_of_lp) {
        LOOKAHEAD_ASSERT(rank >= 0 && rank < ranks, "the partition names rank " + std::to_string(rank));
    }
    find_direct(model, rank_of_lp);
}

void RankLookahead::find_direct(const Model& model, std::span<const int> rank_of_lp) {
    RangeRanks range_ranks(rank_of_lp, ranks_);
    for (const ChannelDescription& channel : model.channels()) {
        for (const int to : range_ranks.find(channel.to, channel.count)) {
            Time& least = direct_[index(rank_of_lp[channel.from], to)];
            least = std::min(least, channel.lookahead);
        }
    }
}

}  // namespace lookahead
