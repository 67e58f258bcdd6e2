#include "components/sm/pipeline/barrier_stage.h"

#include <utility>

namespace lookahead::gpu {

void BarrierStage::arrive(unsigned context, unsigned barrier, isa::LaneMask active, Cycle now) {
    StreamContext& stream = state_.contexts[context];
    stream.barrier = static_cast<std::uint8_t>(barrier);
    stream.barrier_lanes = active;
    stream.partial_barrier = active != stream.stack.alive();
    state_.states.set(context, ContextState::at_barrier);
    if (!stream.partial_barrier) {
        waiting_[stream.cta_slot][barrier] |= context_bit(context);
        complete_if_all_arrived(stream.cta_slot, barrier, now);
    }
}

void BarrierStage::warp_exited(unsigned cta_slot, Cycle now) {
    for (unsigned barrier = 0; barrier < kBarriersPerCta; ++barrier) {
        if (waiting_[cta_slot][barrier] != 0) {
            complete_if_all_arrived(cta_slot, barrier, now);
        }
    }
}

void BarrierStage::complete_if_all_arrived(unsigned cta_slot, unsigned barrier, Cycle now) {
    const auto arrived = static_cast<unsigned>(std::popcount(waiting_[cta_slot][barrier]));
    if (arrived < ctas_.slot(cta_slot).live_warps) {
        return;
    }
    ++state_.counters.barriers;
    const PipelineEvent event{PipelineEvent::Kind::barrier_released, static_cast<std::uint16_t>(cta_slot), barrier};
    state_.wheel.schedule(now, now + state_.parameters.barrier_latency, event.packed());
}

ContextMask BarrierStage::release(unsigned cta_slot, unsigned barrier) {
    return std::exchange(waiting_[cta_slot][barrier], 0);
}

}  // namespace lookahead::gpu
