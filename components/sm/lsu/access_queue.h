#pragma once

#include <cstdint>

#include "components/isa/instruction.h"
#include "components/sm/constant/constant_cache.h"
#include "components/sm/lsu/allocation_map.h"
#include "components/sm/lsu/instruction_queue.h"
#include "components/sm/lsu/l1_accesses.h"
#include "components/sm/lsu/load_table.h"
#include "components/sm/lsu/queue_head.h"
#include "components/sm/lsu/request_arbiter.h"
#include "components/sm/lsu/shared_memory.h"
#include "components/sm/lsu/spare_accesses.h"
#include "core/param/parameters.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Loads of .const variables through the constant cache: one word per cycle, for all lanes that ask for it.
class ConstantLoads {
  public:
    /// `cache` is null or disabled if L1D serves these loads. The references must outlive this object.
    ConstantLoads(ConstantCache* cache, LoadTable& loads, RequestArbiter& arbiter, LsuCounters& counters)
        : cache_(cache != nullptr && cache->enabled() ? cache : nullptr),
          loads_(loads),
          arbiter_(arbiter),
          counters_(counters) {}

    /// Whether the cache serves the instruction. L1D serves generic ones, which have no window for .const variables.
    bool serve(const isa::Instruction& instruction) const {
        return cache_ != nullptr && instruction.space == isa::Space::constant;
    }
    Cycle hit_latency() const { return cache_ != nullptr ? cache_->hit_latency() : 0; }
    /// Makes one pass for the lanes that read the word of the lowest remaining lane. Returns true if no lane is left.
    bool perform(QueuedInstruction& entry, QueueHead& head, Cycle now);
    /// Takes the line for `reader`, which may be another cache's. Returns true if loads waited for it.
    bool fill(std::uint32_t reader, const std::byte* data, Cycle now);

  private:
    /// Writes from the line that the cache accessed last.
    void write(std::uint32_t load, isa::LaneMask lanes) {
        loads_.write_part(load, lanes, cache_->bytes(), ConstantCache::kBytes);
    }

    ConstantCache* cache_;
    LoadTable& loads_;
    RequestArbiter& arbiter_;
    LsuCounters& counters_;
};

/// The oldest instruction of the load/store unit, if the elements of its vector have addresses of their own
/// (MemoryInstruction::elements): one access of a word per lane after another, each like an instruction.
class ElementSequence {
  public:
    /// Checks all elements of an accepted instruction. Throws MemoryFault, with the element's number, for an access
    /// that the program may not make. Returns the number of lanes of a pre-load's elements with unallocated addresses.
    unsigned check(const MemoryInstruction& whole, const AllocationMap& allocations);

    bool begun() const { return number_ != kNone; }
    void begin(const MemoryInstruction& whole, const AllocationMap& allocations) { make(whole, 0, allocations); }
    /// Makes the next element the current one. Returns false, and resets, if there is none.
    bool next(const MemoryInstruction& whole, const AllocationMap& allocations);

    unsigned number() const { return number_; }
    /// Whether more than `few` elements of an instruction have not been performed. `is_oldest`: it is the oldest one.
    bool more_left(const MemoryInstruction& whole, bool is_oldest, unsigned few) const;
    /// The element as an instruction of one word per lane, its lanes split; destination and data are the first row.
    QueuedInstruction& current() { return current_; }
    const QueuedInstruction& current() const { return current_; }

    /// `whole`: the instruction; null if the elements of the oldest one have no addresses of their own.
    void fields(StateArchive& archive, const MemoryInstruction* whole, const AllocationMap& allocations);

  private:
    static constexpr std::uint8_t kNone = 0xff;

    unsigned make(const MemoryInstruction& whole, unsigned number, const AllocationMap& allocations);

    std::uint8_t number_ = kNone;
    isa::Instruction shape_;
    QueuedInstruction current_;
};

/// `coalescing.*`: parameters of the variant "coalescing".
struct CoalescingParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, queue, 8, {1, 256, "instruction"},
                        {.help = "Memory instructions between their issue and their last access, on their way through "
                                 "operand collection too (a latch, two collectors, a latch).",
                         .source = "choice: twice the four that operand collection holds; there is no public figure"});
    LOOKAHEAD_PARAMETER(std::int64_t, pending_loads, 256, {2, 65536, "instruction"},
                        {.help = "Loads and atomics between their first access and their completion. A vector load has "
                                 "an entry for itself and one for each element under way.",
                         .source = "choice; there is no public figure"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, overlap, 5, {0, 16, "element"},
        {.help = "Elements of a vector memory instruction that may be left when the next memory instruction issues. "
                 "16: all, so that each place of the queue has latches for the operands of a vector.",
         .source = "Crago et al., TACO 2018, section 8.8: the unit has latches for one instruction's operands, 138 "
                   "bytes per lane. 5: a choice; operands take five cycles from the issue to the unit "
                   "(sm.operand_collectors), so that elements follow one per cycle without a gap"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, atomic_bytes, 128, {32, 128, "byte"},
        {.help = "Lanes of an atomic that go to memory together: 128, all lanes in one line; 32, the lanes in one "
                 "sector that access different words; further lanes of a word follow separately.",
         .source = "128: a slice performs the lanes of a request one after the other (l2.atomic_cycles). GPGPU-Sim "
                   "splits atomics so for compute capability 2.x"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, lines_per_cycle, 1, {1, 32, "line"},
        {.help = "Lines of a load that L1D looks up in a cycle. Above 1, a load holds L1D for as many cycles as its "
                 "largest number of distinct words in one of shared_memory.banks, if that is longer.",
         .source = "1: Fermi's load/store unit makes one access to L1 a cycle. tests/validation/REAL_GPU.md counts "
                   "lines and conflicts of an H200"});
    LOOKAHEAD_PARAMETER(bool, ctas_wait_for_stores, false,
                        {.help = "A CTA stays resident until its stores have been acknowledged.",
                         .source = "a choice: what a store needs from the SM after its warp has ended is not public. "
                                   "GPGPU-Sim's warps end when their stores are acknowledged"});
    LOOKAHEAD_ALL_DECLARED;
};

/// Memory instructions in the order of their acceptance. The oldest one, or its current element, makes its accesses
/// cycle by cycle: to shared memory, to the constant cache, or to L1. It leaves the queue with its last access.
class AccessQueue {
  public:
    /// The parts that instructions access, or that record their accesses; all must outlive the queue.
    struct Parts : L1AccessParts {
        const AllocationMap& allocations;
        SharedMemory& shared;
        ConstantLoads& constants;
        SpareAccesses& spare;
        AccessProfile& profile;
    };

    AccessQueue(const CoalescingParameters& parameters, Cycle hit_latency, const Parts& parts);

    [[gnu::hot]] bool can_accept() const { return !queue_.full() && !elements_hold_unit(); }
    /// Throws MemoryFault for an access that the program may not make.
    void accept(const MemoryInstruction& instruction, Cycle now);
    void cycle(Cycle now) {
        if (!queue_.empty() && !head_.blocked && queue_.front().memory.ready <= now) { run(now); }
    }
    /// Least cycle > `now` in which `cycle` has work; kCycleInfinity: not before `wake`.
    Cycle next_event(Cycle now) const {
        if (queue_.empty() || head_.blocked) { return kCycleInfinity; }
        const QueuedInstruction& access = oldest_access();
        const bool looks_up = access.shared == 0 && access.global != 0;
        return std::max({now + 1, looks_up ? now : head_.banks_until, access.memory.ready});
    }
    /// A change for which the oldest instruction may wait has happened.
    void wake() { head_.blocked = false; }

    bool empty() const { return queue_.empty(); }
    std::uint32_t size() const { return queue_.size(); }
    bool blocked() const { return head_.blocked; }
    bool waits_for(LsuStall stall) const { return head_.waits_for(stall); }
    /// `code`: the kernel's, empty if none runs.
    void fields(StateArchive& archive, std::span<const isa::Instruction> code);

  private:
    /// Whether the youngest instruction has more than `coalescing.overlap` elements left.
    bool elements_hold_unit() const {
        if (queue_.empty()) { return false; }
        const MemoryInstruction& youngest = queue_[queue_.size() - 1].memory;
        return youngest.elements > 1 && elements_.more_left(youngest, queue_.size() == 1, overlap_);
    }
    const QueuedInstruction& oldest_access() const {
        const QueuedInstruction& oldest = queue_.front();
        return oldest.memory.elements > 1 && elements_.begun() ? elements_.current() : oldest;
    }
    void run(Cycle now);
    bool start(const QueuedInstruction& access, Cycle now);
    void begin_load(const QueuedInstruction& access);
    bool perform(QueuedInstruction& access, Cycle now) {
        return access.shared != 0                                   ? perform_shared(access, now)
               : parts_.constants.serve(*access.memory.instruction) ? parts_.constants.perform(access, head_, now)
               : lines_per_cycle_ == 1                              ? perform_line(access, now)
                                                                    : perform_lines(access, now);
    }
    bool perform_shared(QueuedInstruction& access, Cycle now);
    bool perform_line(QueuedInstruction& access, Cycle now);
    bool perform_lines(QueuedInstruction& access, Cycle now);

    unsigned overlap_;
    unsigned lines_per_cycle_;
    Cycle hit_latency_;
    Parts parts_;
    InstructionQueue queue_;
    ElementSequence elements_;
    QueueHead head_;
    L1Accesses l1_accesses_;
};

}  // namespace lookahead::gpu
