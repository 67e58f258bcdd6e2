#include "components/isa/cta_barrier.h"

#include <bit>

#include "components/isa/instruction.h"
#include "core/error/error.h"

namespace lookahead::isa {

BarrierArrival read_arrival(const Instruction& instruction, const std::uint32_t* number, const std::uint32_t* threads,
                            LaneMask active) {
    const auto value = [&](unsigned source, const std::uint32_t* row, std::uint32_t otherwise) {
        return instruction.source[source].kind == Operand::Kind::none ? otherwise : row[std::countr_zero(active)];
    };
    const BarrierArrival arrival{value(0, number, instruction.mode), value(1, threads, 0), instruction.barrier};
    if (arrival.number >= kBarriersPerCta) {
        throw ProgramError("barrier {} does not exist; barriers are 0 to 15", arrival.number);
    }
    const bool counted = instruction.source[1].kind != Operand::Kind::none;
    if (counted && (arrival.threads % kWarpSize != 0 || arrival.threads == 0)) {
        throw ProgramError("barrier {} for {} threads; the count must be a positive multiple of 32", arrival.number,
                           arrival.threads);
    }
    return arrival;
}

void CtaBarrier::arrive(const BarrierArrival& arrival, LaneMask lanes, LaneMask predicates) {
    if (arrived == 0) {
        *this = {0, arrival.threads, 0, true};
    } else if (threads != arrival.threads) {
        throw ProgramError(
            "barrier {} is used for {} threads while others wait there for {} (0: all); all must give the same count",
            arrival.number, arrival.threads, threads);
    }
    ++arrived;
    if (arrival.kind == BarrierKind::sync || arrival.kind == BarrierKind::arrive) { return; }
    true_lanes += static_cast<std::uint32_t>(std::popcount(lanes & predicates));
    all_true = all_true && (lanes & ~predicates) == 0;
}

std::string CtaBarrier::describe(unsigned number, std::uint32_t live_warps) const {
    const std::uint32_t needed = threads == 0 ? live_warps : threads / kWarpSize;
    return fmt::format("barrier {}, at which {} of {} warps have arrived", number, arrived, needed);
}

}  // namespace lookahead::isa
