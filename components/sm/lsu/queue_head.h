#pragma once

#include <cstdint>

#include "components/cache/l1_data.h"
#include "components/sm/lsu/access_profile.h"
#include "components/sm/lsu/instruction_queue.h"
#include "components/sm/lsu/lsu_counters.h"
#include "core/state/state_archive.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The progress of the load/store unit's oldest instruction, or of its current element, and what it waits for.
struct QueueHead {
    static constexpr Cycle kNoBanks = -1;
    static constexpr Cycle kNotCharging = -1;
    static constexpr std::uint8_t kStall = static_cast<std::uint8_t>(ReservationFailure::count);

    bool started = false;
    bool blocked = false;                ///< until a reply or a completion comes, or a request leaves
    std::uint8_t cause = 0;              ///< of blocked: ReservationFailure, or kStall + LsuStall
    std::uint32_t load = 0;              ///< its entry in the load table
    Cycle blocked_since = kNotCharging;  ///< cycle of its last failed attempt, not yet charged
    Cycle banks_until = kNoBanks;        ///< last cycle in which its accesses hold the banks of shared memory or L1
    std::uint32_t first_load = 0;        ///< the first element's entry in the load table
    isa::LaneMask lower_halves = 0;      ///< lanes of two sectors whose first sector is done
    HeadAccesses accesses;               ///< made so far, not yet in AccessProfile

    /// Both return false: the instruction is not done.
    bool block(ReservationFailure failure, Cycle now) { return block(static_cast<std::uint8_t>(failure), now); }
    bool block(LsuStall stall, Cycle now) { return block(cause_of(stall), now); }
    bool waits_for(LsuStall stall) const { return blocked && cause == cause_of(stall); }
    /// Charges the cycles since the last failed attempt, if there was one.
    void charge(L1Data& l1, LsuCounters& counters, Cycle now) {
        if (blocked_since == kNotCharging) { return; }
        const auto cycles = static_cast<std::uint64_t>(now - blocked_since);
        blocked_since = kNotCharging;
        if (cause < kStall) {
            l1.charge_failure(static_cast<ReservationFailure>(cause), cycles);
        } else {
            counters.stall_cycles[cause - kStall] += cycles;
        }
    }

    /// Archives all but `first_load`, which only instructions with elements have (AccessQueue::fields). `oldest`: the
    /// instruction or null.
    void fields(StateArchive& archive, const MemoryInstruction* oldest) {
        archive& started& blocked& cause& load& blocked_since& banks_until& accesses;
        if (oldest != nullptr && isa::lane_bytes(*oldest->instruction) > kSectorBytes) { archive& lower_halves; }
    }

  private:
    static constexpr std::uint8_t cause_of(LsuStall stall) {
        return static_cast<std::uint8_t>(kStall + static_cast<unsigned>(stall));
    }
    bool block(std::uint8_t why, Cycle now) {
        blocked = true;
        cause = why;
        blocked_since = now;
        return false;
    }
};

}  // namespace lookahead::gpu
