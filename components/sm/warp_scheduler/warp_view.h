#pragma once

#include "components/sm/context_states.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// What a warp scheduler may ask its SM for, beside what each warp waits for. The answers are computed when they are
/// asked for: who does not ask pays nothing.
class WarpView {
  public:
    virtual ~WarpView() = default;

    /// The cycle that is being stepped, for what the scheduler hears of outside `pick` (WarpScheduler::l1_listener).
    virtual Cycle now() const = 0;
    /// Those of some candidates whose next instruction loads through L1D: from global or local memory or
    /// through a generic address, vector loads included. Atomics, textures, constants and shared memory do not.
    virtual ContextMask loads(ContextMask warps) const = 0;
};

}  // namespace lookahead::gpu
