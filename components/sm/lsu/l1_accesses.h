#pragma once

#include <memory>

#include "components/cache/l1_companion.h"
#include "components/cache/l1_data.h"
#include "components/sm/lsu/access_order.h"
#include "components/sm/lsu/load_table.h"
#include "components/sm/lsu/miss_samples.h"
#include "components/sm/lsu/queue_head.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The threads' private (local) memory, if L1 has a companion (components/cache/l1_companion.h): the loads that the
/// companion serves, the lines that come for it, and its flush when the kernel ends.
class PrivateMemory {
  public:
    /// The references must outlive it. The configuration may choose a companion.
    PrivateMemory(const Configuration& configuration, L1Data& l1, LoadTable& loads, unsigned contexts);

    /// Whether there is a companion and it covers the line.
    bool covers(std::uint64_t line) const { return companion_ != nullptr && l1_.keeps_stores_to(line); }
    L1Companion* companion() const { return companion_.get(); }
    Cycle latency() const { return companion_ != nullptr ? companion_->latency() : 0; }

    /// The lanes of a load, with the entry `entry`, that the companion serves. If there are none, L1 is asked for all
    /// lanes in the same cycle, because both look up their tags; otherwise the remaining lanes come again.
    isa::LaneMask load(const L1Access& access, std::uint32_t entry, isa::LaneMask lanes, Cycle now);
    /// L1 has accepted the lanes' words.
    void missed(const L1Access& access, std::uint32_t entry, isa::LaneMask lanes, Cycle now);
    /// Passes a line to the waiting loads, and to the companion or L1.
    void fill(const ReadReply& reply, Cycle now);

    void begin_kernel() {
        if (companion_ != nullptr) { companion_->begin_kernel(); }
    }
    void begin_launch(std::uint32_t local_bytes) {
        if (companion_ != nullptr) { companion_->begin_launch((local_bytes + 3) / 4); }
    }
    void end_launch() { flushing_ = companion_ != nullptr; }
    /// The kernel has ended but the companion still holds data: call `flush` each cycle.
    bool flushing() const { return flushing_; }
    void flush() { flushing_ = !companion_->flush(); }
    void fields(StateArchive& archive) {
        if (companion_ != nullptr) { archive& flushing_&* companion_; }
    }

  private:
    Cycle hit_latency_;
    Cycle fill_latency_;
    L1Data& l1_;
    LoadTable& loads_;
    bool flushing_ = false;
    std::unique_ptr<L1Companion> companion_;
};

/// What an access to L1 uses, or what records it.
struct L1AccessParts {
    L1Data& l1;
    PrivateMemory& private_memory;
    LoadTable& loads;
    AccessOrder& order;
    MissSamples& samples;
    LsuCounters& counters;
};

/// The oldest instruction's accesses to L1: one line each, with all lanes in that line.
class L1Accesses {
  public:
    /// `queue` and `head` are the oldest instruction's; all references must outlive this object. `splits_atomics`:
    /// lanes of an atomic go to memory sector by sector.
    L1Accesses(const InstructionQueue& queue, QueueHead& head, const L1AccessParts& parts, Cycle hit_latency,
               bool splits_atomics)
        : queue_(queue), head_(head), parts_(parts), hit_latency_(hit_latency), splits_atomics_(splits_atomics) {}

    /// Accesses the line of the lowest lane in `entry.global` and removes the lanes that are done. Blocks the head if
    /// L1 has no room for the access.
    void perform(QueuedInstruction& entry, Cycle now);

  private:
    bool load(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now, const LoadToken& token) {
        return parts_.l1.sectored() ? load_sectors(entry, line, lanes, now, token)
                                    : load_line(entry, line, kAllSectors, {token.packed(), lanes}, now);
    }
    bool load_sectors(QueuedInstruction& entry, std::uint64_t line, isa::LaneMask lanes, Cycle now,
                      const LoadToken& token);
    bool load_groups(const QueuedInstruction& entry, std::uint64_t line, const std::uint8_t* offsets,
                     isa::LaneMask lanes, const LoadToken& token, Cycle now, auto&& done);
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
    L1AccessParts parts_;
    Cycle hit_latency_;
    bool splits_atomics_;
};

}  // namespace lookahead::gpu
