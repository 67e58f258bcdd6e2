#pragma once

#include <cstdint>
#include <vector>

#include "components/sm/lsu/load_store_unit.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// `shared_memory.*`. Defaults: GTX480.
struct SharedMemoryParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, banks, 32, {1, 64, "bank"},
                        {.help = "Banks of 32-bit words; a power of two.",
                         .source = "NVIDIA, CUDA C Programming Guide, compute capability 2.x"});
    LOOKAHEAD_PARAMETER(std::int64_t, latency, 26, {1, 1000, "cycle"},
                        {.help = "From an access's last cycle in the banks to its end.",
                         .source = "Wong et al., ISPASS 2010"});
    LOOKAHEAD_ALL_DECLARED;
};

/// An SM's shared memory: bytes, and banks of 32-bit words. Each bank delivers a word per cycle, to any lanes.
class SharedMemory {
  public:
    SharedMemory(const SharedMemoryParameters& parameters, std::uint32_t bytes);

    Cycle latency() const { return latency_; }

    /// Cycles for which the accesses of `lanes` hold the banks. For loads and stores, the most distinct words in one
    /// bank; for atomics, the most lanes in one bank, because each of them reads and writes its word.
    unsigned conflict_degree(const MemoryInstruction& access, isa::LaneMask lanes) const;

    /// Performs the access for `lanes`, in ascending order. `rows`: the destination; unused by stores and reductions.
    void perform(const MemoryInstruction& access, isa::LaneMask lanes, std::uint32_t* const* rows);

    void fields(StateArchive& archive) { archive& bytes_; }

  private:
    void perform_atomics(const MemoryInstruction& access, isa::LaneMask lanes, std::uint32_t* const* rows);

    unsigned bank_mask_;
    Cycle latency_;
    std::vector<unsigned char> bytes_;
};

}  // namespace lookahead::gpu
