#pragma once

#include <array>
#include <cstdint>

#include "core/bits/bits_128.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Stream contexts of an SM are numbered from 0 and fit one mask.
inline constexpr unsigned kMaximumContexts = Bits128::kSize;
using ContextMask = Bits128;

inline ContextMask context_bit(unsigned context) {
    return ContextMask::of(context);
}

/// The `count` contexts from `first` on.
inline ContextMask context_range(unsigned first, unsigned count) {
    return ContextMask::from(first) & ~ContextMask::from(first + count);
}

/// The first candidate after `last`, round robin.
inline unsigned next_in_turn(ContextMask candidates, unsigned last) {
    const ContextMask after = candidates & ContextMask::from(last + 1);
    return (after != 0 ? after : candidates).first();
}

/// What a stream context's next instruction waits for.
enum class ContextState : std::uint8_t {
    vacant,
    exited,  ///< its CTA is still resident
    fetching,
    branching,
    at_barrier,
    at_fence,
    blocked_by_memory,
    blocked_by_constants,  ///< its constants' lines are missing
    blocked_by_pipeline,
    // Ready; ordered by the needed unit as in ExecutionUnit.
    ready_sp,
    ready_sfu,
    ready_dp,
    ready_integer,
    ready_memory,
    ready_control,
    // For streams of extensions only:
    held,     ///< until the extension resumes it
    passing,  ///< the extension performs its next instruction, which needs no issue
    count,
};

/// The state of every context, kept as one mask per state, so that a scheduler's cycle takes a few mask operations.
class ContextStates {
  public:
    ContextStates() { masks_[0] = ~ContextMask{}; }

    void set(unsigned context, ContextState state) {
        const auto to = static_cast<std::uint8_t>(state);
        const ContextMask bit = context_bit(context);
        masks_[states_[context]] &= ~bit;
        masks_[to] |= bit;
        states_[context] = to;
    }
    ContextState of(unsigned context) const { return static_cast<ContextState>(states_[context]); }
    ContextMask in(ContextState state) const { return masks_[static_cast<std::uint8_t>(state)]; }
    /// Whether the state waits for another instruction or for memory.
    static bool is_blocked(ContextState state) {
        return state >= ContextState::blocked_by_memory && state <= ContextState::blocked_by_pipeline;
    }
    ContextMask occupied() const { return ~in(ContextState::vacant); }
    /// Warps that have instructions left.
    ContextMask live() const { return ~(in(ContextState::vacant) | in(ContextState::exited)); }
    /// Warps that wait only for a unit and their turn.
    ContextMask ready() const {
        return ready_for_units() | in(ContextState::ready_memory) | in(ContextState::ready_control);
    }
    ContextMask ready_for_units() const {
        return in(ContextState::ready_sp) | in(ContextState::ready_sfu) | in(ContextState::ready_dp) |
               in(ContextState::ready_integer);
    }

    void fields(StateArchive& archive) {
        auto states = states_;
        archive& states;
        for (unsigned context = 0; context < kMaximumContexts; ++context) {
            set(context, static_cast<ContextState>(states[context]));
        }
    }

  private:
    std::array<ContextMask, static_cast<std::size_t>(ContextState::count)> masks_{};
    std::array<std::uint8_t, kMaximumContexts> states_{};
};

}  // namespace lookahead::gpu
