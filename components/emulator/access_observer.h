#pragma once

#include <cstdint>

#include "components/emulator/memory_fault.h"
#include "components/isa/lane_mask.h"

namespace lookahead {

/// Receives kernels' accesses to global and shared memory, lane by lane, and to private memory, warp by warp, in the
/// emulator's order; for diagnoses. Costs nothing when absent.
class AccessObserver {
  public:
    enum class Kind : std::uint8_t { read, write, atomic };

    virtual ~AccessObserver() = default;
    /// The launch with this number, from 0 on, begins.
    virtual void begin_launch(std::uint64_t number) = 0;
    /// An access by one lane. Addresses of shared memory are generic.
    virtual void access(const ExecutionPlace& place, unsigned lane, Kind kind, std::uint64_t address,
                        unsigned bytes) = 0;
    /// A load or store of private (local) memory, possibly by a generic instruction: the lanes' offsets in their
    /// threads' memory, and the `bytes` (at most 4) of each that are loaded or stored, without extension. Atomics and
    /// vector memory instructions there are not reported.
    virtual void private_access(const ExecutionPlace& /*place*/, isa::LaneMask /*lanes*/, Kind /*kind*/,
                                const std::uint64_t* /*offsets*/, const std::uint32_t* /*values*/, unsigned /*bytes*/) {
    }
};

}  // namespace lookahead
