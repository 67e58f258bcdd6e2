#pragma once

#include "components/sm/warp_scheduler/warp_ages.h"

namespace lookahead::gpu {

/// Greedy then oldest: the warp that issued last while it is a candidate, else the one that started first.
class GtoOrder {
  public:
    unsigned pick(ContextMask candidates) {
        if (candidates.intersects(greedy_)) { return greedy_.first(); }
        const unsigned oldest = ages_.oldest_of(candidates);
        greedy_ = context_bit(oldest);
        return oldest;
    }
    void started(unsigned warp) { ages_.started(warp); }
    void exited(unsigned warp) { greedy_ &= ~context_bit(warp); }
    bool older(unsigned warp, unsigned other) const { return ages_.older(warp, other); }

    void fields(StateArchive& archive) { archive& greedy_& ages_; }

  private:
    ContextMask greedy_ = 0;  ///< the warp that issued last, or none
    WarpAges ages_;
};

}  // namespace lookahead::gpu
