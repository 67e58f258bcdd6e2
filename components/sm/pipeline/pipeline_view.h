#pragma once

#include "components/sm/pipeline/pipeline_state.h"
#include "components/sm/warp_scheduler/warp_view.h"

namespace lookahead::gpu {

/// What schedulers may see of the pipeline.
class PipelineView final : public WarpView {
  public:
    explicit PipelineView(const PipelineState& state) : state_(state) {}

    Cycle now() const override { return state_.now; }
    ContextMask loads(ContextMask warps) const override {
        ContextMask loads = 0;
        for (const unsigned warp : warps& state_.warps.states.in(ready_for(ExecutionUnit::memory))) {
            const InstructionClass next = (*state_.kernel)[state_.warps.streams[warp].stack.pc()].instruction_class;
            if (next == InstructionClass::load_global || next == InstructionClass::load_local) {
                loads |= context_bit(warp);
            }
        }
        return loads;
    }

  private:
    const PipelineState& state_;
};

}  // namespace lookahead::gpu
