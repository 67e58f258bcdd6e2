#pragma once

#include "components/sm/warp_scheduler/warp_view.h"

namespace lookahead::gpu {

/// A view whose time and whose loads a test sets by hand.
struct FakeWarpView final : WarpView {
    Cycle now() const override { return cycle; }
    ContextMask loads(ContextMask warps) const override { return warps & loading; }

    Cycle cycle = 0;
    ContextMask loading = 0;
};

}  // namespace lookahead::gpu
