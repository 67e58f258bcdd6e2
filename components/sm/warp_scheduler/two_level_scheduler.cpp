#include <array>
#include <bit>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/array.hpp>

#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "core/param/parameters.h"
#include "core/stats/state_hasher.h"

namespace lookahead::gpu {

struct TwoLevelParameters {
    std::int64_t ready_warps = 8;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::ParametersOf<lookahead::gpu::TwoLevelParameters> {
    using P = lookahead::gpu::TwoLevelParameters;
    inline static const auto list =
        parameter_list<P>(integer("ready_warps", &P::ready_warps,
                                  {.unit = "warp",
                                   .min = 1,
                                   .max = 64,
                                   .help = "Places of each scheduler's ready queue, whose warps alone may issue.",
                                   .source = "Koo et al. (CAPS), table of the configuration: 8 ready warps"}));
};

namespace lookahead::gpu {

/// Two-level active scheduling: only the warps of a small ready queue may issue, in turn. One whose next instruction
/// waits for memory, a fence or a barrier goes to the end of the pending queue, and the warp that has been pending for
/// longest among those that wait for none of these takes its place. Waiting for an arithmetic result or a fetch is
/// short and costs no place.
///
/// Barriers are among the reasons to leave, for otherwise warps of a CTA could hold all places while they wait for one
/// that is pending. The queues are brought up to date when the scheduler is asked, and so only in cycles in which some
/// warp of its own could issue: who waited and got its value in between keeps its place.
class TwoLevelScheduler final : public WarpScheduler {
  public:
    using Parameters = TwoLevelParameters;

    TwoLevelScheduler(const Parameters& parameters, const WarpSchedulerArguments& arguments)
        : states_(arguments.states), places_(static_cast<int>(parameters.ready_warps)) {}

    unsigned pick(ContextMask candidates, Cycle) override {
        const ContextMask waiting = states_.in(ContextState::blocked_by_memory) | states_.in(ContextState::at_fence) |
                                    states_.in(ContextState::at_barrier);
        demote(ready_ & waiting);
        promote(pending_ & ~waiting);
        candidates &= ready_;
        if (candidates == 0) {
            return kHoldBack;
        }
        const ContextMask after = candidates & ~((context_bit(last_) << 1) - 1);
        last_ = static_cast<std::uint32_t>(std::countr_zero(after != 0 ? after : candidates));
        return last_;
    }
    void started(unsigned warp) override { append(warp); }
    void exited(unsigned warp) override {
        ready_ &= ~context_bit(warp);
        pending_ &= ~context_bit(warp);
    }

    void hash_state(StateHasher& hasher) const override {
        hasher.add(ready_);
        hasher.add(pending_);
        hasher.add(last_);
        hasher.add(arrivals_);
        for (const std::uint64_t arrival : arrival_) {
            hasher.add(arrival);
        }
    }
    void save(boost::archive::binary_oarchive& archive) const override {
        archive << ready_ << pending_ << last_ << arrivals_ << arrival_;
    }
    void load(boost::archive::binary_iarchive& archive) override {
        archive >> ready_ >> pending_ >> last_ >> arrivals_ >> arrival_;
    }

  private:
    void append(unsigned warp) {
        pending_ |= context_bit(warp);
        arrival_[warp] = ++arrivals_;
    }

    /// Warps that leave in the same cycle queue up in the order of their numbers.
    void demote(ContextMask warps) {
        ready_ &= ~warps;
        for (; warps != 0; warps &= warps - 1) {
            append(static_cast<unsigned>(std::countr_zero(warps)));
        }
    }

    void promote(ContextMask eligible) {
        for (int free = places_ - std::popcount(ready_); free > 0 && eligible != 0; --free) {
            const ContextMask first = context_bit(first_of(eligible));
            eligible &= ~first;
            pending_ &= ~first;
            ready_ |= first;
        }
    }

    unsigned first_of(ContextMask warps) const {
        auto first = static_cast<unsigned>(std::countr_zero(warps));
        for (ContextMask rest = warps & (warps - 1); rest != 0; rest &= rest - 1) {
            const auto warp = static_cast<unsigned>(std::countr_zero(rest));
            first = arrival_[warp] < arrival_[first] ? warp : first;
        }
        return first;
    }

    const ContextStates& states_;
    int places_;
    ContextMask ready_ = 0;
    ContextMask pending_ = 0;
    std::uint32_t last_ = kMaximumContexts - 1;
    std::uint64_t arrivals_ = 0;
    std::array<std::uint64_t, kMaximumContexts> arrival_{};  ///< when each warp came to the pending queue
};

LOOKAHEAD_REGISTER_VARIANT(
    WarpScheduler, TwoLevelScheduler, "two_level",
    "Two-level active: a small ready queue issues in turn; who waits long goes to a pending one.",
    "Narasiman et al., MICRO 2011; Gebhart et al., ISCA 2011")

}  // namespace lookahead::gpu
