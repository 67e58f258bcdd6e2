#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "components/isa/cta_barrier.h"
#include "components/sm/pipeline/cta_stage.h"
#include "components/sm/pipeline/pipeline_state.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// CTA-wide barriers (isa::CtaBarrier). A warp arrives with all its lanes that have not exited. A complete barrier is
/// reset at once; the waiting warps continue barrier_latency cycles after its last warp's arrival, which takes
/// barrier_interval cycles. On a reconvergence stack, a warp that comes with some of its lanes waits for the others,
/// which cannot come: the CTA never passes the barrier.
class BarrierStage {
  public:
    BarrierStage(PipelineState& state, const CtaStage& ctas) : state_(state), ctas_(ctas) {}

    void begin_kernel() { ctas_barriers_.assign(state_.launch.occupancy.ctas, {}); }

    /// The warp arrives with `lanes`, all its lanes that have not exited. Returns whether it waits; false if it only
    /// arrives.
    bool arrive(unsigned context, const isa::BarrierArrival& arrival, isa::LaneMask lanes, isa::LaneMask predicates,
                Cycle now);
    /// The warp, on a stack, comes to the barrier with only `lanes` of its lanes.
    void arrive_in_part(unsigned context, unsigned barrier, isa::LaneMask lanes);
    void warp_exited(unsigned cta_slot, Cycle now);

    /// A phrase such as "barrier 0, at which 2 of 4 warps have arrived".
    std::string describe(unsigned cta_slot, unsigned barrier) const {
        return ctas_barriers_[cta_slot][barrier].count.describe(barrier, ctas_.slot(cta_slot).live_warps);
    }

    std::uint64_t waiting() const {
        std::uint64_t warps = 0;
        for (const auto& cta : ctas_barriers_) {
            for (const Barrier& barrier : cta) { warps += barrier.waiting.count(); }
        }
        return warps;
    }

    void fields(StateArchive& archive) {
        archive& ctas_barriers_;
        if (state_.parameters.barrier_interval > 0) { archive& arrived_; }
    }

  private:
    friend struct AuditSabotage;

    struct Barrier {
        ContextMask waiting = 0;
        isa::CtaBarrier count;

        void fields(StateArchive& archive) { archive& waiting& count; }
    };

    void complete_if_all_arrived(unsigned cta_slot, unsigned barrier, Cycle now);

    PipelineState& state_;
    const CtaStage& ctas_;
    std::vector<std::array<Barrier, isa::kBarriersPerCta>> ctas_barriers_;  ///< by CTA slot
    Cycle arrived_ = 0;  ///< the cycle in which the arrival of the last warp ends
};

}  // namespace lookahead::gpu
