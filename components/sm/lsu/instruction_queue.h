#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "components/sm/lsu/lane_data.h"
#include "components/sm/lsu/load_store_unit.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// A memory instruction in the load/store unit, its lanes split by where their addresses lead.
struct QueuedInstruction {
    MemoryInstruction memory;
    isa::LaneMask shared = 0;  ///< lanes left to perform in shared memory; their addresses are offsets there
    isa::LaneMask global = 0;  ///< lanes left to perform in L1
    Cycle accepted = 0;
};

/// First in, first out. Slots are large and stay where they are.
class InstructionQueue {
  public:
    explicit InstructionQueue(unsigned capacity) : slots_(capacity) {}

    bool full() const { return size_ == slots_.size(); }
    bool empty() const { return size_ == 0; }
    unsigned size() const { return size_; }
    QueuedInstruction& front() { return slots_[head_]; }
    const QueuedInstruction& front() const { return slots_[head_]; }

    /// The slot of the next push, to be filled in place.
    QueuedInstruction& back_slot() { return slots_[place_of(size_)]; }
    void push() { ++size_; }
    void pop() {
        head_ = place_of(1);
        --size_;
    }

    /// Copies what the instruction needs: data of loads and rows beyond the store's are left alone.
    static void copy(MemoryInstruction& to, const MemoryInstruction& from) {
        std::memcpy(static_cast<void*>(&to), &from, offsetof(MemoryInstruction, addresses));
        copy_addresses(to.addresses, from.addresses);
        std::memcpy(to.data, from.data, data_rows(*from.instruction) * sizeof to.data[0]);
    }

    template <class F>
    void for_each(F&& f) {
        for (unsigned i = 0; i < size_; ++i) {
            f(slots_[place_of(i)]);
        }
    }
    template <class F>
    void for_each(F&& f) const {
        for (unsigned i = 0; i < size_; ++i) {
            f(slots_[place_of(i)]);
        }
    }

    /// Of what is queued: the slots keep what earlier instructions left. `code`: of the kernel, or null.
    void fields(StateArchive& archive, const isa::Instruction* code) {
        archive& head_& size_;
        for_each([&](QueuedInstruction& each) {
            MemoryInstruction& memory = each.memory;
            archive.pointer_into(code, memory.instruction);
            archive& memory.ready& memory.pc& memory.context& memory.cta_slot& memory.active& memory.destination_rows;
            archive& memory.token& memory.pre_load& memory.shared_base& memory.shared_bytes;
            for (isa::LaneMask left = memory.active; left != 0; left &= left - 1) {
                const int lane = std::countr_zero(left);
                archive& memory.addresses[lane];
                for (unsigned row = 0; row < data_rows(*memory.instruction); ++row) {
                    if (holds_value(*memory.instruction, row)) {
                        archive& memory.data[row][lane];
                    }
                }
            }
            archive& each.shared& each.global& each.accepted;
        });
    }

  private:

    unsigned place_of(unsigned i) const {
        const unsigned place = head_ + i;
        return place >= slots_.size() ? place - static_cast<unsigned>(slots_.size()) : place;
    }

    unsigned head_ = 0;
    unsigned size_ = 0;
    std::vector<QueuedInstruction> slots_;
};

}  // namespace lookahead::gpu
