#pragma once

#include <cstdint>

#include "components/emulator/memory_fault.h"
#include "components/isa/lane_mask.h"

namespace lookahead {

/// Receives every instruction of every warp, in the emulator's order, before it executes, when the warp's registers
/// hold the results of all earlier ones. For tests of timing models. Costs nothing when absent.
class InstructionObserver {
  public:
    virtual ~InstructionObserver() = default;
    /// The launch with this number, from 0 on, begins.
    virtual void begin_launch(std::uint64_t number) = 0;
    /// The warp at `place` is about to execute the instruction there with the lanes of `active`, for which its guard
    /// holds. `registers` are its 32-bit registers, each of isa::kWarpSize lanes, followed by the launch's constant
    /// rows; `predicates` the lanes in which P0 to P6 hold.
    virtual void executing(const ExecutionPlace& place, isa::LaneMask active, const std::uint32_t* registers,
                           const isa::LaneMask* predicates) = 0;
};

}  // namespace lookahead
