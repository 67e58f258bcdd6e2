#pragma once

#include <cstdint>

#include "components/emulator/memory_fault.h"

namespace lookahead {

/// Sees what kernels do with global and shared memory, lane by lane, in the emulator's order; for diagnoses. Without one
/// nothing is spent on it.
class AccessObserver {
  public:
    enum class Kind : std::uint8_t { read, write, atomic };

    virtual ~AccessObserver() = default;
    /// The launch with this number, from 0 on, begins.
    virtual void begin_launch(std::uint64_t number) = 0;
    /// Shared memory has its generic addresses.
    virtual void access(const ExecutionPlace& place, unsigned lane, Kind kind, std::uint64_t address,
                        unsigned bytes) = 0;
};

}  // namespace lookahead
