#pragma once

#include <array>
#include <cstdint>

#include "components/sm/context_states.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The order in which a scheduler's warps started.
class WarpAges {
  public:
    void started(unsigned warp) { start_[warp] = ++starts_; }
    bool older(unsigned warp, unsigned other) const { return start_[warp] < start_[other]; }
    /// The oldest of `warps`, which must not be empty.
    unsigned oldest_of(ContextMask warps) const {
        unsigned oldest = warps.first();
        warps.for_each([&](unsigned warp) { oldest = older(warp, oldest) ? warp : oldest; });
        return oldest;
    }
    unsigned youngest_of(ContextMask warps) const {
        unsigned youngest = warps.first();
        warps.for_each([&](unsigned warp) { youngest = older(youngest, warp) ? warp : youngest; });
        return youngest;
    }

    void fields(StateArchive& archive) { archive& starts_& start_; }

  private:
    std::uint64_t starts_ = 0;
    std::array<std::uint64_t, kMaximumContexts> start_{};  ///< rank by warp
};

}  // namespace lookahead::gpu
