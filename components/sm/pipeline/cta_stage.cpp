#include "components/sm/pipeline/cta_stage.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lookahead::gpu {

void CtaStage::begin_kernel() {
    LOOKAHEAD_ASSERT(idle(), "a kernel began while CTAs of another were resident");
    slots_.assign(state_.launch.occupancy.ctas, {});
    emptied_ = 0;
    resident_ = live_warps_ = 0;
}

[[gnu::hot]] bool CtaStage::has_work() const {
    if (!waiting_.empty() && resident_ < slots_.size()) { return true; }
    for (std::uint64_t rest = emptied_; rest != 0; rest &= rest - 1) {
        if (drained(static_cast<unsigned>(std::countr_zero(rest)))) { return true; }
    }
    return false;
}

ContextMask CtaStage::warps_of(unsigned slot) const {
    const unsigned warps = state_.launch.occupancy.warps_per_cta;
    return context_range(slot * warps, warps);
}

bool CtaStage::drained(unsigned slot) const {
    const unsigned warps = state_.launch.occupancy.warps_per_cta;
    const auto first = state_.warps.streams.begin() + slot * warps;
    if (!std::all_of(first, first + warps, [](const Stream& stream) { return stream.in_flight == 0; })) {
        return false;
    }
    if (waits_for_stores_) {
        for (unsigned context = slot * warps; context < (slot + 1) * warps; ++context) {
            if (memory_.stores_under_way(context)) { return false; }
        }
    }
    return true;
}

/// Returns the CTA's slot.
unsigned CtaStage::start(std::uint64_t cta) {
    const auto free = std::find_if(slots_.begin(), slots_.end(), [](const CtaSlot& slot) { return !slot.resident; });
    const auto slot = static_cast<unsigned>(free - slots_.begin());
    const LaunchState& launch = state_.launch;
    *free = {true, cta, launch.occupancy.warps_per_cta, isa::cta_position(launch.fields.grid, cta)};
    ++resident_;
    live_warps_ += launch.occupancy.warps_per_cta;
    for (const auto& scheduler : schedulers_) { scheduler->cta_started(warps_of(slot)); }
    for (unsigned warp = 0; warp < launch.occupancy.warps_per_cta; ++warp) { start_warp(slot, warp); }
    return slot;
}

void CtaStage::start_warp(unsigned slot, unsigned warp) {
    const LaunchState& launch = state_.launch;
    const unsigned context = slot * launch.occupancy.warps_per_cta + warp;
    Stream& stream = state_.warps.streams[context];
    const std::uint32_t first_thread = warp * isa::kWarpSize;
    stream.start(state_.simt, isa::initial_mask(launch.fields.block.count(), first_thread),
                 static_cast<std::uint16_t>(slot), first_thread);
    state_.dependences.start(context);
    if (const auto& recording = state_.kernel->kernel().recording; recording != nullptr) {
        stream.follow(
            state_.recorded.start(*recording, context, slots_[slot].cta * launch.occupancy.warps_per_cta + warp));
    }
    const unsigned first_row = context * launch.occupancy.rows_per_warp;
    state_.warps.map.set_consecutive(context, first_row);
    // Registers start as zeros, so that reading one before writing it gives the same result everywhere.
    for (unsigned row = first_row; row < first_row + launch.occupancy.rows_per_warp; ++row) {
        std::memset(state_.registers.row(row), 0, sizeof(std::uint32_t) * isa::kWarpSize);
    }
    schedulers_[context % schedulers_.size()]->started(context);
    if (state_.extensions != nullptr) [[unlikely]] {
        state_.extensions->for_each([context](IssueExtension& extension) { extension.warp_started(context); });
    }
    state_.classify(context);
}

void CtaStage::warp_exited(unsigned context) {
    state_.warps.streams[context].buffered = 0;
    state_.pause(context, ContextState::exited);
    state_.profile.exited(context);
    schedulers_[context % schedulers_.size()]->exited(context);
    if (state_.extensions != nullptr) [[unlikely]] {
        state_.extensions->for_each([context](IssueExtension& extension) { extension.warp_exited(context); });
    }
    const unsigned slot = state_.warps.streams[context].cta_slot;
    --live_warps_;
    if (--slots_[slot].live_warps == 0) { emptied_ |= std::uint64_t{1} << slot; }
}

void CtaStage::vacate(unsigned slot) {
    const unsigned warps = state_.launch.occupancy.warps_per_cta;
    for (unsigned context = slot * warps; context < (slot + 1) * warps; ++context) {
        state_.pause(context, ContextState::vacant);
    }
    for (const auto& scheduler : schedulers_) { scheduler->cta_ended(warps_of(slot)); }
    slots_[slot].resident = false;
    emptied_ &= ~(std::uint64_t{1} << slot);
    --resident_;
    ++state_.counters.ctas;
}

}  // namespace lookahead::gpu
