#include "core/sync/rank_lookahead.h"

#include <algorithm>

#include "core/sync/receivers.h"

namespace lookahead {

RankLookahead::RankLookahead(const Model& model, std::span<const int> rank_of_lp, int ranks)
    : ranks_(ranks), direct_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks), kTimeInfinity) {
    Receivers receivers(model, rank_of_lp, ranks, {});
    for (const ChannelDescription& channel : model.channels()) {
        for (const auto& [kind, to] : receivers.find(channel)) {
            Time& least = direct_[index(rank_of_lp[channel.from], to)];
            least = std::min(least, channel.lookahead);
        }
    }
}

}  // namespace lookahead
