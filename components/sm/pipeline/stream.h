#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "components/isa/simt_state.h"
#include "components/sm/pipeline/decoded_kernel.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// One instruction stream of a warp: its position, fetched instructions and predicates. A warp has one, numbered by the
/// warp's slot; the scoreboard, the register map and ContextStates hold the rest under the same number.
struct Stream {
    isa::SimtState stack;
    isa::LaneMask predicates[kPredicateSlots] = {};
    std::uint8_t buffered = 0;        ///< decoded instructions in the buffer, from stack.pc() on
    bool fetching = false;            ///< a fetch is under way
    bool partial_barrier = false;     ///< it arrived at its barrier with only some of its lanes
    isa::LaneMask barrier_lanes = 0;  ///< the lanes that arrived at its barrier
    std::uint8_t barrier = 0;         ///< number of the barrier at which it waits
    isa::BarrierKind barrier_kind = isa::BarrierKind::sync;
    std::uint16_t in_flight = 0;  ///< issued instructions that have not written back
    std::uint16_t cta_slot = 0;
    std::uint32_t first_thread = 0;    ///< linear index in the CTA of the thread in lane 0
    std::uint64_t spinning_state = 0;  ///< the warp's state when it had spun for long; 0: it has not
    std::uint32_t spins_unchanged = 0;

    /// Starts a warp. The stack keeps its allocation.
    void start(isa::SimtModel model, isa::LaneMask lanes, std::uint16_t slot, std::uint32_t thread) {
        stack.start(model, 0, lanes);
        std::fill(std::begin(predicates), std::end(predicates), 0);
        predicates[isa::kTruePredicate] = isa::kFullMask;
        buffered = barrier = 0;
        fetching = partial_barrier = false;
        barrier_lanes = 0;
        barrier_kind = isa::BarrierKind::sync;
        in_flight = 0;
        cta_slot = slot;
        first_thread = thread;
        spinning_state = 0;
        spins_unchanged = 0;
    }

    void fields(StateArchive& archive) {
        archive& stack& predicates& buffered& fetching& partial_barrier& barrier_lanes& barrier& barrier_kind&
            in_flight& cta_slot& first_thread& spinning_state& spins_unchanged;
    }
};

}  // namespace lookahead::gpu
