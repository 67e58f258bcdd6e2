#pragma once

#include <cstdint>
#include <string>

#include "components/isa/instruction_form.h"
#include "components/isa/lane_mask.h"
#include "core/state/state_archive.h"

namespace lookahead::isa {

struct Instruction;

/// The number of barriers of a CTA (PTX ISA, "bar, barrier").
inline constexpr unsigned kBarriersPerCta = 16;

/// A warp's arrival at a CTA barrier.
struct BarrierArrival {
    std::uint32_t number = 0;
    std::uint32_t threads = 0;  ///< that take part; 0: all of the CTA that have not ended
    BarrierKind kind = BarrierKind::sync;

    /// Equal for lanes of one warp that arrive together.
    std::uint64_t key() const {
        return static_cast<std::uint64_t>(Operation::barrier) | static_cast<std::uint64_t>(kind) << 8 |
               std::uint64_t{number} << 16 | std::uint64_t{threads} << 32;
    }
};

/// Reads the operands of a barrier instruction for the lanes of `active`; the first lane represents all. `number` and
/// `threads` are the rows of source[0] and source[1], if the instruction has them. ProgramError (without the place) for
/// an invalid barrier or count.
BarrierArrival read_arrival(const Instruction& instruction, const std::uint32_t* number, const std::uint32_t* threads,
                            LaneMask active);

/// One barrier of a CTA. Warps are counted, as if each had all its threads (PTX ISA: the count is a multiple of the
/// warp size). The barrier completes when its count has arrived or, without a count, all warps of the CTA that have not
/// ended; it can then be used again.
struct CtaBarrier {
    std::uint32_t arrived = 0;     ///< warps, those that only arrive included
    std::uint32_t threads = 0;     ///< the count that they gave
    std::uint32_t true_lanes = 0;  ///< threads whose predicate holds
    bool all_true = true;

    /// Counts a warp's arrival with `lanes`; `predicates` is for a reduction. Throws ProgramError (without the place)
    /// if the count differs from that of earlier arrivals.
    void arrive(const BarrierArrival& arrival, LaneMask lanes, LaneMask predicates);
    bool complete(std::uint32_t live_warps) const {
        return arrived != 0 && (threads == 0 ? arrived >= live_warps : arrived * kWarpSize >= threads);
    }
    /// A reduction's result, 0 or 1 for predicates.
    std::uint32_t result(BarrierKind kind) const {
        return kind == BarrierKind::popc ? true_lanes : kind == BarrierKind::bit_and ? all_true : true_lanes != 0;
    }
    /// "barrier 3, at which 2 of 4 warps have arrived", for messages.
    std::string describe(unsigned number, std::uint32_t live_warps) const;

    void fields(StateArchive& archive) { archive& arrived& threads& true_lanes& all_true; }
};

}  // namespace lookahead::isa
