#pragma once

#include "components/sm/pipeline/pipeline_state.h"
#include "components/sm/warp_scheduler/warp_view.h"

namespace lookahead::gpu {

/// What schedulers may see of the pipeline.
class PipelineView final : public WarpView {
  public:
    explicit PipelineView(const PipelineState& state) : state_(state) {}

    Cycle now() const override { return state_.now; }
    ContextMask loads(ContextMask warps) const override;

  private:
    const PipelineState& state_;
};

}  // namespace lookahead::gpu
