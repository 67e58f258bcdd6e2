#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/sm/lsu/lane_data.h"
#include "components/sm/lsu/load_store_unit.h"
#include "core/bits/ring.h"
#include "core/stats/state_hasher.h"

namespace lookahead::gpu {

/// A memory instruction in the load/store unit, its lanes split by where their addresses lead.
struct QueuedInstruction {
    MemoryInstruction memory;
    isa::LaneMask shared = 0;  ///< lanes left to perform in shared memory; their addresses are offsets there
    isa::LaneMask global = 0;  ///< lanes left to perform in L1
    Cycle accepted = 0;
};

class InstructionQueue : public Ring<QueuedInstruction> {
  public:
    using Ring::Ring;

    /// Copies what the instruction needs: data of loads and rows beyond the store's are left alone.
    static void copy(MemoryInstruction& to, const MemoryInstruction& from) {
        std::memcpy(static_cast<void*>(&to), &from, offsetof(MemoryInstruction, addresses));
        copy_addresses(to.addresses, from.addresses);
        std::memcpy(to.data, from.data, data_rows(*from.instruction) * sizeof to.data[0]);
    }

    void hash_state(StateHasher& hasher) const;

    /// All but the instructions, which their owner saves as indices.
    template <class Archive>
    void serialize(Archive& archive, unsigned) {
        Ring::serialize(archive, [&](QueuedInstruction& each) {
            MemoryInstruction& memory = each.memory;
            archive& memory.ready& memory.pc& memory.context& memory.cta_slot& memory.active& memory.destination_rows;
            archive& memory.token& memory.pre_load;
            archive& memory.shared_base& memory.shared_bytes& memory.addresses& memory.data;
            archive& each.shared& each.global& each.accepted;
        });
    }

  private:
    static void hash_data(StateHasher& hasher, const MemoryInstruction& memory, unsigned lane) {
        const isa::Instruction& instruction = *memory.instruction;
        if (is_atomic(instruction)) {
            hasher.add(atomic_operand(instruction, lane, &memory.data[0]));
            hasher.add(instruction.atomic == isa::AtomicOp::cas ? atomic_operand(instruction, lane, &memory.data[2])
                                                                : 0);
            return;
        }
        for (unsigned row = 0; row < data_rows(instruction); ++row) {
            hasher.add(memory.data[row][lane]);
        }
    }
};

/// Values of inactive lanes are whatever was there, so they are left out.
inline void InstructionQueue::hash_state(StateHasher& hasher) const {
    for_each([&](const QueuedInstruction& each) {
        const MemoryInstruction& memory = each.memory;
        hasher.add(std::uint64_t{memory.pc} << 32 | std::uint64_t{memory.context} << 16 | memory.cta_slot);
        hasher.add(std::uint64_t{memory.active} << 32 | memory.token | std::uint64_t{memory.pre_load} << 16);
        hasher.add(packed_rows(memory.destination_rows));
        hasher.add(std::uint64_t{memory.shared_base} << 32 | memory.shared_bytes);
        hasher.add(std::uint64_t{each.shared} << 32 | each.global);
        hasher.add(static_cast<std::uint64_t>(each.accepted));
        hasher.add(static_cast<std::uint64_t>(memory.ready));
        for (isa::LaneMask left = memory.active; left != 0; left &= left - 1) {
            const auto lane = std::countr_zero(left);
            hasher.add(memory.addresses[lane]);
            hash_data(hasher, memory, static_cast<unsigned>(lane));
        }
    });
}

}  // namespace lookahead::gpu
