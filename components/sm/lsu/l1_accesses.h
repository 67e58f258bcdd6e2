#pragma once

#include "components/cache/l1_data.h"
#include "components/sm/lsu/access_order.h"
#include "components/sm/lsu/load_table.h"
#include "components/sm/lsu/miss_samples.h"
#include "components/sm/lsu/private_memory.h"
#include "components/sm/lsu/queue_head.h"

namespace lookahead::gpu {

/// The oldest instruction's accesses to L1: one line each, with all lanes in that line.
class L1Accesses {
  public:
    /// `queue` and `head` are the oldest instruction's; all references must outlive this object. `splits_atomics`:
    /// lanes of an atomic go to memory sector by sector.
    L1Accesses(const InstructionQueue& queue, QueueHead& head, L1Data& l1, PrivateMemory& private_memory,
               LoadTable& loads, AccessOrder& order, MissSamples& samples, LsuCounters& counters, Cycle hit_latency,
               bool splits_atomics)
        : queue_(queue),
          head_(head),
          l1_(l1),
          private_(private_memory),
          loads_(loads),
          order_(order),
          samples_(samples),
          counters_(counters),
          hit_latency_(hit_latency),
          splits_atomics_(splits_atomics) {}

    /// Accesses the line of the lowest lane in `entry.global` and removes the lanes that are done. Blocks the head if
    /// L1 has no room for the access.
    void perform(QueuedInstruction& entry, Cycle now);

  private:
    bool load(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now, const LoadToken& token) {
        return l1_.sectored() ? load_sectors(entry, line, lanes, now, token)
                              : load_line(entry, line, kAllSectors, {token.packed(), lanes}, now);
    }
    bool load_sectors(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now,
                      const LoadToken& token);
    template <class Done>
    bool load_groups(const QueuedInstruction& entry, std::uint64_t line, const std::uint8_t* offsets,
                     isa::LaneMask lanes, const LoadToken& token, Cycle now, Done&& done);
    bool goes_to_l2(const isa::Instruction& instruction, std::uint64_t line) const;
    SectorMask sectors_to_load(const isa::Instruction& instruction, std::uint64_t line, SectorMask sectors) const;
    bool load_line(const QueuedInstruction& entry, std::uint64_t line, SectorMask sectors, const Waiter& waiter,
                   Cycle now);
    bool pre_load_line(const QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now);
    bool store_line(const QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now);
    bool store_in_l1(const L1Access& access, const ByteMask& mask, const std::byte* bytes, Cycle now);
    bool atomic_line(const QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now);
    // For private memory with a companion:
    bool is_vector(const MemoryInstruction& memory, std::uint64_t line) const;
    bool load_private(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now);
    bool store_private(const L1Access& access, const ByteMask& mask, const std::byte* bytes, Cycle now);

    const InstructionQueue& queue_;
    QueueHead& head_;
    L1Data& l1_;
    PrivateMemory& private_;
    LoadTable& loads_;
    AccessOrder& order_;
    MissSamples& samples_;
    LsuCounters& counters_;
    Cycle hit_latency_;
    bool splits_atomics_;
};

}  // namespace lookahead::gpu
