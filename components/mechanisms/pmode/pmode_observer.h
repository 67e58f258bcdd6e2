#pragma once

#include <cstdint>

#include "components/isa/lane_mask.h"
#include "components/mechanisms/pmode/pmode_counters.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// A step of a warp in either mode, for tests and for traces.
struct PmodeStep {
    enum class Kind : std::uint8_t {
        entered,
        skipped,
        executed,
        pre_loaded,
        halted,
        returned,
        reused,  ///< in N-mode
        own,     ///< in N-mode: the warp issues the instruction itself
    };
    Kind kind;
    std::uint16_t context;
    std::uint32_t pc;
    isa::LaneMask active;  ///< the stack's lanes, before guards
    SkipReason skip = SkipReason::count;
    HaltReason halt = HaltReason::count;
};

class PmodeObserver {
  public:
    virtual ~PmodeObserver() = default;
    virtual void step(const PmodeStep& step, Cycle now) = 0;
};

}  // namespace lookahead::gpu
