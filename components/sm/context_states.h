#pragma once

#include <array>
#include <cstdint>

#include "components/sm/context_mask.h"
#include "components/sm/instruction_class.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// What a stream context's next instruction waits for.
enum class ContextState : std::uint8_t {
    vacant,
    exited,  ///< its CTA is still resident
    fetching,
    branching,
    at_barrier,
    at_fence,
    stalled,  ///< until its last instruction's stall count has passed (native code's control words)
    blocked_by_memory,
    blocked_by_constants,  ///< its constants' lines are missing
    blocked_by_pipeline,
    ready,  ///< for the first unit; the states after it are for the other units, in their order (ready_for)
    // For streams of extensions only:
    held = ready + kExecutionUnits,  ///< until the extension resumes it
    passing,                         ///< the extension performs its next instruction, which needs no issue
    count,
};

/// The state of a stream whose next instruction waits only for its turn at the unit.
constexpr ContextState ready_for(ExecutionUnit unit) {
    return static_cast<ContextState>(static_cast<unsigned>(ContextState::ready) + static_cast<unsigned>(unit));
}

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
    /// Whether a context in this state waits for another instruction or for memory.
    static bool is_blocked(ContextState state) {
        return state >= ContextState::blocked_by_memory && state <= ContextState::blocked_by_pipeline;
    }
    ContextMask occupied() const { return ~in(ContextState::vacant); }
    /// Warps that have instructions left.
    ContextMask live() const { return ~(in(ContextState::vacant) | in(ContextState::exited)); }
    /// Warps that wait only for a unit and their turn.
    ContextMask ready() const {
        return ready_for_units() | in(ready_for(ExecutionUnit::memory)) | in(ready_for(ExecutionUnit::control));
    }
    /// Those of them that wait for a unit with pipelines.
    ContextMask ready_for_units() const {
        ContextMask ready;
        for (unsigned unit = 0; unit < kPipelinedUnits; ++unit) {
            ready |= in(ready_for(static_cast<ExecutionUnit>(unit)));
        }
        return ready;
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
