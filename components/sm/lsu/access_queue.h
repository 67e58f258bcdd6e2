#pragma once

#include "components/sm/lsu/coalescing_parameters.h"
#include "components/sm/lsu/constant_loads.h"
#include "components/sm/lsu/element_sequence.h"
#include "components/sm/lsu/l1_accesses.h"
#include "components/sm/lsu/shared_memory.h"
#include "components/sm/lsu/spare_accesses.h"

namespace lookahead::gpu {

/// Memory instructions in the order of their acceptance. The oldest one, or its current element, makes its accesses
/// cycle by cycle: to shared memory, to the constant cache, or to L1. It leaves the queue with its last access.
class AccessQueue {
  public:
    /// The parts that instructions access, or that record their accesses; all must outlive the queue.
    struct Parts {
        const AllocationMap& allocations;
        L1Data& l1;
        PrivateMemory& private_memory;
        SharedMemory& shared;
        ConstantLoads& constants;
        SpareAccesses& spare;
        LoadTable& loads;
        AccessOrder& order;
        MissSamples& samples;
        LsuCounters& counters;
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
