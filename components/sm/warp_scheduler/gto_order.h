#pragma once

#include <array>
#include <cstdint>

#include "components/sm/context_states.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Greedy then oldest: the warp that issued last as long as it is a candidate, else the one that started first.
class GtoOrder {
  public:
    unsigned pick(ContextMask candidates) {
        if (candidates.intersects(greedy_)) {
            return greedy_.first();
        }
        const unsigned oldest = oldest_of(candidates);
        greedy_ = context_bit(oldest);
        return oldest;
    }
    void started(unsigned warp) { start_[warp] = ++starts_; }
    void exited(unsigned warp) { greedy_ &= ~context_bit(warp); }
    bool older(unsigned warp, unsigned other) const { return start_[warp] < start_[other]; }

    void fields(StateArchive& archive) { archive& greedy_& starts_& start_; }

  private:
    unsigned oldest_of(ContextMask candidates) const {
        unsigned oldest = candidates.first();
        candidates.for_each([&](unsigned warp) { oldest = older(warp, oldest) ? warp : oldest; });
        return oldest;
    }

    ContextMask greedy_ = 0;  ///< the warp that issued last, or none
    std::uint64_t starts_ = 0;
    std::array<std::uint64_t, kMaximumContexts> start_{};  ///< rank by age of each warp
};

}  // namespace lookahead::gpu
