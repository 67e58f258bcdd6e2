#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/error/error.h"

namespace lookahead {

/// The routes of batches between ranks. There is a batch for each distance: the batch for distance d goes to the rank d
/// places further, cyclically, and this rank receives the packets of the rank d places before it.
///
/// Direct: there is a distance for each other rank, and in every exchange a packet goes to each. In rounds: the
/// distances are 1, 2, 4, 8 ..., one after another. A message to a receiver at distance d travels in the rounds of the
/// bits of d, from the lowest up, and ranks between pass it on. So R ranks exchange with log2 R packets each instead of
/// R - 1 mostly empty ones, and each rank has as few peers (Bruck, Ho, Kipnis, Upfal and Weathersby, "Efficient
/// algorithms for all-to-all communications in multiport message-passing systems", IEEE TPDS 1997). Every packet
/// carries a bound, lowered by the bounds of earlier rounds; after the last round it is the bound of all ranks, because
/// a rank that counts twice does not change a minimum.
class Routes {
  public:
    Routes(int rank, int ranks, bool in_rounds) : rank_(rank), ranks_(ranks), in_rounds_(in_rounds) {
        LOOKAHEAD_ASSERT(rank >= 0 && rank < ranks, "rank {} is none", rank);
    }

    bool in_rounds() const { return in_rounds_; }
    int ranks() const { return ranks_; }
    std::size_t batches() const {
        const auto others = static_cast<unsigned>(ranks_ - 1);
        return in_rounds_ ? static_cast<std::size_t>(std::bit_width(others)) : others;
    }
    int to(std::size_t batch) const { return (rank_ + distance(batch)) % ranks_; }
    int from(std::size_t batch) const { return (rank_ + ranks_ - distance(batch)) % ranks_; }
    /// The batch of a message for another rank.
    std::uint32_t batch_for(int rank) const {
        const auto on = static_cast<unsigned>((rank - rank_ + ranks_) % ranks_);
        return in_rounds_ ? static_cast<std::uint32_t>(std::countr_zero(on)) : on - 1;
    }

  private:
    int distance(std::size_t batch) const { return in_rounds_ ? 1 << batch : static_cast<int>(batch) + 1; }

    int rank_;
    int ranks_;
    bool in_rounds_;
};

}  // namespace lookahead
