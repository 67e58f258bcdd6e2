#pragma once

#include "components/isa/instruction.h"
#include "components/sm/lsu/allocation_map.h"
#include "components/sm/lsu/instruction_queue.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

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

}  // namespace lookahead::gpu
