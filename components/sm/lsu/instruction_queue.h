#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/sm/lsu/lane_data.h"
#include "components/sm/lsu/load_store_unit.h"
#include "core/bits/ring.h"
#include "core/state/state_archive.h"

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

    /// Values of inactive lanes are what an earlier instruction left. `code`: of the kernel, or null.
    void fields(StateArchive& archive, const isa::Instruction* code) {
        Ring::fields(archive, [&](QueuedInstruction& each) {
            MemoryInstruction& memory = each.memory;
            archive.pointer_into(code, memory.instruction);
            archive& memory.ready& memory.pc& memory.context& memory.cta_slot& memory.active;
            row_fields(archive, memory.destination_rows, memory.instruction->destination_rows);
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
};

}  // namespace lookahead::gpu
