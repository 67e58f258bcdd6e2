#pragma once

#include <cstdint>

#include "components/emulator/memory_fault.h"
#include "components/isa/lane_mask.h"

namespace lookahead {

/// Sees what kernels do with global and shared memory, lane by lane, and with private memory, warp by warp, in the
/// emulator's order; for diagnoses. Without one nothing is spent on it.
class AccessObserver {
  public:
    enum class Kind : std::uint8_t { read, write, atomic };

    virtual ~AccessObserver() = default;
    /// The launch with this number, from 0 on, begins.
    virtual void begin_launch(std::uint64_t number) = 0;
    /// Shared memory has its generic addresses.
    virtual void access(const ExecutionPlace& place, unsigned lane, Kind kind, std::uint64_t address,
                        unsigned bytes) = 0;
    /// A load or store of private (local) memory, which may be a generic one: the lanes' offsets in their threads' memory,
    /// and the `bytes` (4 at most) of each that are loaded or stored, without extension. Atomics and vector memory
    /// instructions there are not reported.
    virtual void private_access(const ExecutionPlace& /*place*/, isa::LaneMask /*lanes*/, Kind /*kind*/,
                                const std::uint64_t* /*offsets*/, const std::uint32_t* /*values*/, unsigned /*bytes*/) {
    }
};

}  // namespace lookahead
