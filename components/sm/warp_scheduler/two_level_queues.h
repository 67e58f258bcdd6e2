#pragma once

#include <array>
#include <cstdint>

#include "components/sm/context_states.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Ready and pending queue of a two-level scheduler. Warps keep places in the ready queue until they wait for memory, a
/// fence or a barrier. A free place goes to the longest-pending warp that waits for none of these.
class TwoLevelQueues {
  public:
    TwoLevelQueues(const ContextStates& states, unsigned places) : states_(states), places_(static_cast<int>(places)) {}

    ContextMask ready() const { return ready_; }
    ContextMask pending() const { return pending_; }
    bool full() const { return static_cast<int>(ready_.count()) >= places_; }
    /// Warps whose next instruction has a long wait.
    ContextMask waiting() const {
        return states_.in(ContextState::blocked_by_memory) | states_.in(ContextState::blocked_by_constants) |
               states_.in(ContextState::at_fence) | states_.in(ContextState::at_barrier);
    }

    /// Updates both queues. Pending warps of `first` take places before those of `second`, and these before the others.
    void update(ContextMask first = 0, ContextMask second = 0) {
        const ContextMask wait = waiting();
        demote(ready_ & wait);
        const ContextMask eligible = pending_ & ~wait;
        promote(eligible & first);
        promote(eligible & ~first & second);
        promote(eligible & ~first & ~second);
    }
    void append(unsigned warp) {
        ready_ &= ~context_bit(warp);
        pending_ |= context_bit(warp);
        arrival_[warp] = ++arrivals_;
    }
    /// Gives a pending warp a place, even if none is free.
    void admit(unsigned warp) {
        pending_ &= ~context_bit(warp);
        ready_ |= context_bit(warp);
    }
    void remove(unsigned warp) {
        ready_ &= ~context_bit(warp);
        pending_ &= ~context_bit(warp);
    }

    void fields(StateArchive& archive) { archive& ready_& pending_& arrivals_& arrival_; }

  private:
    /// Warps that leave in the same cycle are queued by number.
    void demote(ContextMask warps) {
        for (const unsigned warp : warps) { append(warp); }
    }
    void promote(ContextMask eligible) {
        for (int free = places_ - static_cast<int>(ready_.count()); free > 0 && eligible != 0; --free) {
            const unsigned first = first_of(eligible);
            eligible &= ~context_bit(first);
            admit(first);
        }
    }
    unsigned first_of(ContextMask warps) const {
        unsigned first = warps.first();
        warps.for_each([&](unsigned warp) { first = arrival_[warp] < arrival_[first] ? warp : first; });
        return first;
    }

    const ContextStates& states_;
    int places_;
    ContextMask ready_ = 0;
    ContextMask pending_ = 0;
    std::uint64_t arrivals_ = 0;
    std::array<std::uint64_t, kMaximumContexts> arrival_{};  ///< when the warp came to the pending queue
};

}  // namespace lookahead::gpu
