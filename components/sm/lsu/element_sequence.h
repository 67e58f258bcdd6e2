#pragma once

#include "components/sm/lsu/allocation_map.h"
#include "components/sm/lsu/instruction_queue.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// The oldest instruction of the load/store unit, where each element of its vector has an address of its own
/// (MemoryInstruction::elements): one access of a word a lane after the other, each as if it were an instruction.
class ElementSequence {
  public:
    /// All elements of an instruction that is accepted: throws MemoryFault, with the element's number, for an access
    /// that the program may not make. Returns of how many lanes of a pre-load's elements the addresses are not
    /// allocated.
    unsigned check(const MemoryInstruction& whole, const AllocationMap& allocations);

    bool begun() const { return number_ != kNone; }
    void begin(const MemoryInstruction& whole, const AllocationMap& allocations) { make(whole, 0, allocations); }
    /// The next element is the current one; false, and as before `begin`: there is none.
    bool next(const MemoryInstruction& whole, const AllocationMap& allocations);

    unsigned number() const { return number_; }
    /// More than `few` elements of an instruction, the oldest one or another, have not been performed.
    bool more_left(const MemoryInstruction& whole, bool is_oldest, unsigned few) const;
    /// The element as an instruction of one word a lane, its lanes split; its destination is the first row, its data
    /// too.
    QueuedInstruction& current() { return current_; }
    const QueuedInstruction& current() const { return current_; }

    /// `whole`: the instruction, or null where the oldest one has no elements of their own.
    void fields(StateArchive& archive, const MemoryInstruction* whole, const AllocationMap& allocations);

  private:
    static constexpr std::uint8_t kNone = 0xff;

    unsigned make(const MemoryInstruction& whole, unsigned number, const AllocationMap& allocations);

    std::uint8_t number_ = kNone;
    isa::Instruction shape_;
    QueuedInstruction current_;
};

}  // namespace lookahead::gpu
