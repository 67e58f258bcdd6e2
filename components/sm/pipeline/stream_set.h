#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "components/isa/recording.h"
#include "components/isa/simt_state.h"
#include "components/sm/context_states.h"
#include "components/sm/pipeline/decoded_kernel.h"
#include "components/sm/pipeline/scoreboard.h"
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

    /// The warp goes on as recorded: P0 has the lanes that execute the next instruction.
    void follow(const isa::Recording::Record& next) {
        stack.jump(stack.active(), next.pc);
        predicates[0] = next.lanes;
    }

    void fields(StateArchive& archive) {
        archive& stack& predicates& buffered& fetching& partial_barrier& barrier_lanes& barrier& barrier_kind&
            in_flight& cta_slot& first_thread& spinning_state& spins_unchanged;
    }
};

/// The physical row of each context's architected registers. A warp's rows are consecutive when it starts.
class RegisterMap {
  public:
    explicit RegisterMap(unsigned contexts) : contexts_(contexts) {}

    void resize(unsigned registers) {
        registers_ = registers;
        rows_.assign(std::size_t{contexts_} * registers, 0);
    }
    void set_consecutive(unsigned context, unsigned first_row) {
        for (unsigned r = 0; r < registers_; ++r) {
            rows_[std::size_t{context} * registers_ + r] = static_cast<std::uint16_t>(first_row + r);
        }
    }
    void set(unsigned context, unsigned register_number, std::uint16_t row) {
        rows_[std::size_t{context} * registers_ + register_number] = row;
    }
    /// The rows of the context's registers, by register number.
    const std::uint16_t* of(unsigned context) const { return rows_.data() + std::size_t{context} * registers_; }
    std::vector<std::uint16_t>& rows() { return rows_; }
    const std::vector<std::uint16_t>& rows() const { return rows_; }

  private:
    unsigned contexts_;
    unsigned registers_ = 0;
    std::vector<std::uint16_t> rows_;
};

/// Instruction streams of one kind, by number: position, wait state, registers and predicates that await a write-back,
/// and the rows of registers. The warps' own streams are a set, numbered by the warps' slots; an extension has a set
/// for each kind of stream that it adds (ExtensionStreams).
struct StreamSet {
    explicit StreamSet(unsigned count) : streams(count), scoreboard(count), map(count) {}

    unsigned size() const { return static_cast<unsigned>(streams.size()); }
    /// Begins a launch of a kernel with so many scoreboard words and registers.
    void begin_launch(unsigned scoreboard_words, unsigned registers) {
        scoreboard.resize(scoreboard_words);
        map.resize(registers);
    }

    std::vector<Stream> streams;
    ContextStates states;
    Scoreboard scoreboard;
    RegisterMap map;
};

}  // namespace lookahead::gpu
