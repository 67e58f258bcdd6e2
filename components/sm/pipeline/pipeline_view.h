#pragma once

#include "components/sm/pipeline/pipeline_state.h"
#include "components/sm/warp_scheduler/warp_view.h"

namespace lookahead::gpu {

/// The pipeline as its schedulers may see it.
class PipelineView final : public WarpView {
  public:
    explicit PipelineView(const PipelineState& state) : state_(state) {}

    Cycle now() const override { return state_.now; }
    ContextMask loads(ContextMask warps) const override;

  private:
    const PipelineState& state_;
};

}  // namespace lookahead::gpu
