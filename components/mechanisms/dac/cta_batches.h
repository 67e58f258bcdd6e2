#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "components/mechanisms/dac/dac_counters.h"
#include "components/mechanisms/dac/dac_parameters.h"
#include "components/sm/context_states.h"
#include "components/sm/lsu/load_store_unit.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::dac {

/// Which resident CTAs, by slot, the affine warp serves, and when it runs for the others (`dac.batch`).
class CtaBatches {
  public:
    CtaBatches(const DacParameters& parameters, DacCounters& counters)
        : policy_(parameters.batch == "drain"     ? Policy::drain
                  : parameters.batch == "rolling" ? Policy::rolling
                                                  : Policy::patient),
          gather_cycles_(parameters.gather_cycles),
          counters_(counters) {}

    void begin_launch(unsigned ctas, Cycle now) {
        ctas_ = ctas;
        std::iota(turns_.begin(), turns_.end(), std::uint8_t{0});
        served_ = fresh_ = 0;
        unserved_charged_ = now;
    }
    void warp_started(unsigned slot, Cycle now) {
        charge_unserved(now);
        fresh_since_ = fresh_ == 0 ? now : fresh_since_;
        fresh_ |= std::uint64_t{1} << slot;
        live_warps_[slot] = static_cast<std::uint8_t>(live_warps_[slot] + 1);
        last_start_ = now;
    }
    void warp_exited(unsigned slot, Cycle now) {
        live_warps_[slot] = static_cast<std::uint8_t>(live_warps_[slot] - 1);
        if (live_warps_[slot] == 0) {
            charge_unserved(now);
            served_ &= ~(std::uint64_t{1} << slot);
            fresh_ &= ~(std::uint64_t{1} << slot);  // a CTA that dequeues nothing may end before it is served
        }
    }

    /// Whether some CTAs wait for a run.
    bool some_wait() const { return fresh_ != 0; }
    /// Whether a run has served the CTA or is serving it.
    bool serves(unsigned slot) const { return (served_ >> slot & 1) != 0; }
    void for_each_served(auto visit) const {
        for (std::uint64_t left = served_; left != 0; left &= left - 1) {
            visit(static_cast<unsigned>(std::countr_zero(left)));
        }
    }
    /// All slots, those of the oldest run first.
    std::span<const std::uint8_t> turns() const { return std::span(turns_).first(ctas_); }

    /// The cycle at which the next run is to begin; call it between runs only. Under `patient`, waiting costs no more
    /// than a run of its own would cost later CTAs, and an early run no more than waiting: neither is known before.
    Cycle due() const {
        if (fresh_ == 0) { return gpu::kNever; }
        const bool full = static_cast<unsigned>(std::popcount(fresh_) + std::popcount(served_)) == ctas_;
        const Cycle gathered = full ? last_start_ : last_start_ + gather_cycles_;
        if (served_ == 0 || policy_ == Policy::rolling) { return gathered; }
        return policy_ == Policy::drain ? gpu::kNever : std::max(gathered, fresh_since_ + last_run_cycles_);
    }
    /// Begins a run for all waiting CTAs; returns their slots, a bit each.
    std::uint64_t begin_run(Cycle now) {
        charge_unserved(now);
        ++counters_.runs;
        counters_.batch_ctas += static_cast<unsigned>(std::popcount(fresh_));
        run_since_ = now;
        const auto end = turns_.begin() + ctas_;
        for (std::uint64_t left = fresh_; left != 0; left &= left - 1) {
            const auto turn = std::find(turns_.begin(), end, std::countr_zero(left));
            std::rotate(turn, turn + 1, end);
        }
        served_ |= fresh_;
        return std::exchange(fresh_, 0);
    }
    void end_run(Cycle now) {
        last_run_cycles_ = now - run_since_;
        fresh_since_ = now;
    }

    void fields(StateArchive& archive) {
        archive& turns_& served_& fresh_& live_warps_& fresh_since_& run_since_& last_run_cycles_& last_start_&
            unserved_charged_;
    }

  private:
    enum class Policy : std::uint8_t { drain, rolling, patient };

    void charge_unserved(Cycle now) {
        counters_.unserved_cycles +=
            static_cast<std::uint64_t>(now - unserved_charged_) * static_cast<unsigned>(std::popcount(fresh_));
        unserved_charged_ = now;
    }

    const Policy policy_;
    const Cycle gather_cycles_;
    DacCounters& counters_;
    unsigned ctas_ = 0;  ///< places for CTAs on the SM; no state
    std::array<std::uint8_t, gpu::kMaximumContexts> turns_{};
    std::uint64_t served_ = 0;  ///< without CTAs that have ended
    std::uint64_t fresh_ = 0;   ///< CTAs that no run has served
    std::array<std::uint8_t, gpu::kMaximumContexts> live_warps_{};
    Cycle fresh_since_ = 0;  ///< the cycle since which CTAs have waited while no run was under way
    Cycle run_since_ = 0;
    Cycle last_run_cycles_ = 0;
    Cycle last_start_ = 0;  ///< when a warp last started
    Cycle unserved_charged_ = 0;
};

}  // namespace lookahead::dac
