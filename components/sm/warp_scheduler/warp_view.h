#pragma once

#include "components/sm/context_states.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// What a warp scheduler may ask its SM, besides what each warp waits for. Answers are computed on request, so a
/// scheduler that does not ask pays nothing.
class WarpView {
  public:
    virtual ~WarpView() = default;

    /// The cycle being stepped, for events outside `pick` (WarpScheduler::l1_listener).
    virtual Cycle now() const = 0;
    /// Those of `warps` whose next instruction loads through L1D: from global or local memory or by a generic address,
    /// vector loads included. Atomics, textures, constants and shared memory do not count.
    virtual ContextMask loads(ContextMask warps) const = 0;
};

}  // namespace lookahead::gpu
