#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "components/sm/lsu/load_store_unit.h"
#include "components/sm/pipeline/pipeline_state.h"
#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "core/bits/set_bits.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The schedulers of an SM; warp w belongs to number w mod size.
using WarpSchedulers = std::vector<std::unique_ptr<WarpScheduler>>;

/// A place for a resident CTA: its warps have the contexts slot * warps_per_cta and up.
struct CtaSlot {
    bool resident = false;
    std::uint64_t cta = 0;
    std::uint32_t live_warps = 0;
    isa::Dim3 position;  ///< %ctaid

    void fields(StateArchive& archive) { archive& resident& cta& live_warps& position.x& position.y& position.z; }
};

/// The CTA slots. Starts assigned CTAs as soon as there is room. Retires a CTA when its warps have exited, its
/// instructions have written back, and, if CTAs wait for their stores, these are acknowledged.
class CtaStage {
  public:
    CtaStage(PipelineState& state, WarpSchedulers& schedulers, const LoadStoreUnit& memory)
        : state_(state), schedulers_(schedulers), memory_(memory), waits_for_stores_(memory.delays_ctas()) {}

    /// Begins the launch in state.launch.
    void begin_kernel();
    /// Assigns a CTA, which waits if there is no room.
    void assign(std::uint64_t cta) { waiting_.push_back(cta); }

    /// Retires and starts CTAs; calls completed(slot, cta) and started(slot) for each.
    template <class F, class G>
    void cycle(F&& completed, G&& started) {
        if (emptied_ != 0) { retire(completed); }
        while (!waiting_.empty() && resident_ < slots_.size()) {
            const unsigned slot = start(waiting_.front());
            waiting_.pop_front();
            started(slot);
        }
    }
    /// Whether the next cycle would retire or start a CTA.
    bool has_work() const;

    void warp_exited(unsigned context);

    const CtaSlot& slot(unsigned number) const { return slots_[number]; }
    const CtaSlot& slot_of(unsigned context) const { return slots_[state_.warps.streams[context].cta_slot]; }
    unsigned slots() const { return static_cast<unsigned>(slots_.size()); }
    unsigned resident() const { return resident_; }
    /// Warps that have instructions left.
    unsigned live_warps() const { return live_warps_; }
    bool idle() const { return resident_ == 0 && waiting_.empty(); }
    std::size_t waiting() const { return waiting_.size(); }
    ContextMask warps_of(unsigned slot) const;

    void fields(StateArchive& archive) { archive& slots_& waiting_& emptied_& resident_& live_warps_; }

  private:
    friend struct AuditSabotage;
    bool drained(unsigned slot) const;
    unsigned start(std::uint64_t cta);
    void start_warp(unsigned slot, unsigned warp);
    void vacate(unsigned slot);

    template <class F>
    void retire(F&& completed) {
        for (const unsigned slot : SetBits(emptied_)) {
            if (drained(slot)) {
                vacate(slot);
                completed(slot, slots_[slot].cta);
            }
        }
    }

    PipelineState& state_;
    WarpSchedulers& schedulers_;
    const LoadStoreUnit& memory_;
    bool waits_for_stores_;
    std::vector<CtaSlot> slots_;
    std::deque<std::uint64_t> waiting_;
    std::uint64_t emptied_ = 0;  ///< slots whose warps have all exited
    std::uint32_t resident_ = 0;
    std::uint32_t live_warps_ = 0;
};

}  // namespace lookahead::gpu
