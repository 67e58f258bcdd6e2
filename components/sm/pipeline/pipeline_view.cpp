#include "components/sm/pipeline/pipeline_view.h"

namespace lookahead::gpu {

ContextMask PipelineView::loads(ContextMask warps) const {
    ContextMask loads = 0;
    for (const unsigned warp : warps& state_.warps.states.in(ready_for(ExecutionUnit::memory))) {
        const InstructionClass next = (*state_.kernel)[state_.warps.streams[warp].stack.pc()].instruction_class;
        if (next == InstructionClass::load_global || next == InstructionClass::load_local) {
            loads |= context_bit(warp);
        }
    }
    return loads;
}

}  // namespace lookahead::gpu
