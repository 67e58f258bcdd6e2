#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "components/sm/pipeline/cta_stage.h"
#include "components/sm/pipeline/pipeline_state.h"

namespace lookahead::gpu {

/// Barriers that one CTA may name (PTX ISA, bar.sync).
inline constexpr unsigned kBarriersPerCta = 16;

/// CTA-wide barriers. A barrier completes when every warp of the CTA that has not exited has arrived with all its
/// lanes that have not exited; the warps go on barrier_latency cycles later. A warp that arrives with a part of its
/// lanes waits for the others, which on a reconvergence stack cannot come: the CTA never gets past the barrier.
class BarrierStage {
  public:
    BarrierStage(PipelineState& state, const CtaStage& ctas) : state_(state), ctas_(ctas) {}

    void begin_kernel() { waiting_.assign(state_.launch.occupancy.ctas, {}); }

    /// The warp's lanes `active` execute a barrier instruction.
    void arrive(unsigned context, unsigned barrier, isa::LaneMask active, Cycle now);
    /// A warp of the CTA has exited.
    void warp_exited(unsigned cta_slot, Cycle now);

    /// Ends a completed barrier and returns the warps that waited.
    ContextMask release(unsigned cta_slot, unsigned barrier);

    /// Warps at barriers of all CTAs.
    std::uint64_t waiting() const {
        std::uint64_t warps = 0;
        for (const auto& cta : waiting_) {
            for (const ContextMask mask : cta) {
                warps += static_cast<unsigned>(std::popcount(mask));
            }
        }
        return warps;
    }

    template <class Archive>
    void serialize(Archive& archive, unsigned) {
        archive& waiting_;
    }
    template <class Hasher>
    void hash(Hasher& hasher) const {
        for (const auto& cta : waiting_) {
            for (const ContextMask warps : cta) {
                hasher.add(warps);
            }
        }
    }

  private:
    friend struct AuditSabotage;

    void complete_if_all_arrived(unsigned cta_slot, unsigned barrier, Cycle now);

    PipelineState& state_;
    const CtaStage& ctas_;
    std::vector<std::array<ContextMask, kBarriersPerCta>> waiting_;  ///< warps that have arrived, by CTA slot
};

}  // namespace lookahead::gpu
