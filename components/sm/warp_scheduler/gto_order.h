#pragma once

#include "components/sm/warp_scheduler/warp_ages.h"

namespace lookahead::gpu {

/// Greedy: the warp that issued last while it is a candidate, else the one that `choose` takes.
template <unsigned (WarpAges::*choose)(ContextMask) const>
class GreedyOrder {
  public:
    unsigned pick(ContextMask candidates) {
        if (candidates.intersects(greedy_)) { return greedy_.first(); }
        const unsigned chosen = (ages_.*choose)(candidates);
        greedy_ = context_bit(chosen);
        return chosen;
    }
    void started(unsigned warp) { ages_.started(warp); }
    void exited(unsigned warp) { greedy_ &= ~context_bit(warp); }
    bool older(unsigned warp, unsigned other) const { return ages_.older(warp, other); }

    void fields(StateArchive& archive) { archive& greedy_& ages_; }

  private:
    ContextMask greedy_ = 0;  ///< the warp that issued last, or none
    WarpAges ages_;
};

/// Greedy then oldest: else the warp that started first.
using GtoOrder = GreedyOrder<&WarpAges::oldest_of>;

}  // namespace lookahead::gpu
