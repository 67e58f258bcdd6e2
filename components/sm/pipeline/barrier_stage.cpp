#include "components/sm/pipeline/barrier_stage.h"

#include <algorithm>
#include <utility>

namespace lookahead::gpu {

bool BarrierStage::arrive(unsigned context, const isa::BarrierArrival& arrival, isa::LaneMask lanes,
                          isa::LaneMask predicates, Cycle now) {
    Stream& stream = state_.warps.streams[context];
    Barrier& barrier = ctas_barriers_[stream.cta_slot][arrival.number];
    barrier.count.arrive(arrival, lanes, predicates);
    // Warps that only arrive may come faster than one per interval for long; the delay is at most that of all warps'
    // arrivals.
    const Cycle interval = state_.parameters.barrier_interval;
    arrived_ = std::min(std::max(arrived_, now) + interval, now + interval * state_.parameters.max_warps);
    const bool waits = arrival.kind != isa::BarrierKind::arrive;
    if (waits) {
        barrier.waiting |= context_bit(context);
        stream.barrier = static_cast<std::uint8_t>(arrival.number);
        stream.barrier_kind = arrival.kind;
        stream.partial_barrier = false;
        state_.pause(context, ContextState::at_barrier);
    }
    complete_if_all_arrived(stream.cta_slot, arrival.number, now);
    return waits;
}

void BarrierStage::arrive_in_part(unsigned context, unsigned barrier, isa::LaneMask lanes) {
    Stream& stream = state_.warps.streams[context];
    stream.barrier = static_cast<std::uint8_t>(barrier);
    stream.barrier_lanes = lanes;
    stream.partial_barrier = true;
    state_.pause(context, ContextState::at_barrier);
}

void BarrierStage::warp_exited(unsigned cta_slot, Cycle now) {
    for (unsigned barrier = 0; barrier < isa::kBarriersPerCta; ++barrier) {
        complete_if_all_arrived(cta_slot, barrier, now);
    }
}

[[gnu::hot]] void BarrierStage::complete_if_all_arrived(unsigned cta_slot, unsigned number, Cycle now) {
    Barrier& barrier = ctas_barriers_[cta_slot][number];
    if (!barrier.count.complete(ctas_.slot(cta_slot).live_warps)) { return; }
    ++state_.counters.barriers;
    for (const unsigned context : std::exchange(barrier.waiting, {})) {
        const std::uint32_t result = barrier.count.result(state_.warps.streams[context].barrier_kind);
        const PipelineEvent event{PipelineEvent::Kind::barrier_released, static_cast<std::uint16_t>(context), result};
        state_.wheel.schedule(now, std::max(arrived_, now) + state_.parameters.barrier_latency, event.packed());
    }
    barrier.count = {};
}

}  // namespace lookahead::gpu
