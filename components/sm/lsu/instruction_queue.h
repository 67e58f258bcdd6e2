#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/isa/instruction.h"
#include "components/sm/lsu/lane_data.h"
#include "components/sm/lsu/load_store_unit.h"
#include "core/bits/ring.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// A memory instruction in the load/store unit, its lanes split by memory space.
struct QueuedInstruction {
    MemoryInstruction memory;
    isa::LaneMask shared = 0;  ///< lanes left to perform in shared memory; their addresses are offsets there
    isa::LaneMask global = 0;  ///< lanes left to perform in L1
    Cycle accepted = 0;
};

class InstructionQueue : public Ring<QueuedInstruction> {
  public:
    using Ring::Ring;

    /// Copies what the instruction needs: not the data of loads, nor rows beyond a store's.
    static void copy(MemoryInstruction& to, const MemoryInstruction& from) {
        std::memcpy(static_cast<void*>(&to), &from, offsetof(MemoryInstruction, addresses));
        copy_addresses(to.addresses, from.addresses);
        for (unsigned row = 0; row < data_rows(*from.instruction); ++row) {
            std::memcpy(to.data[row], from.data[row], sizeof to.data[row]);
        }
        for (unsigned row = 0; row < from.offset_rows(); ++row) {
            std::memcpy(to.offsets[row], from.offsets[row], sizeof to.offsets[row]);
        }
    }

    /// Leaves out inactive lanes, which hold values of an earlier instruction. `code`: the kernel's, empty if none
    /// runs.
    void fields(StateArchive& archive, std::span<const isa::Instruction> code) {
        Ring::fields(archive, [&](QueuedInstruction& each) {
            MemoryInstruction& memory = each.memory;
            archive.pointer_into(code, memory.instruction);
            archive& memory.ready& memory.pc& memory.context& memory.cta_slot& memory.active;
            row_fields(archive, memory.destination_rows, memory.instruction->destination_rows);
            archive& memory.token;
            form_fields(archive, memory);
            archive& memory.shared_base& memory.shared_bytes;
            if (memory.elements > 1) {  // their addresses are made when they are performed
                archive& memory.local_base& memory.local_bytes;
            }
            for (isa::LaneMask left = memory.active; left != 0; left &= left - 1) {
                const int lane = std::countr_zero(left);
                archive& memory.addresses[lane];
                for (unsigned row = 0; row < memory.offset_rows(); ++row) { archive& memory.offsets[row][lane]; }
                for (unsigned row = 0; row < data_rows(*memory.instruction); ++row) {
                    if (holds_value(*memory.instruction, row)) { archive& memory.data[row][lane]; }
                }
            }
            archive& each.shared& each.global& each.accepted;
        });
    }

  private:
    /// Archives one byte: whether it is a pre-load, and the form of its elements.
    static void form_fields(StateArchive& archive, MemoryInstruction& memory) {
        auto form = static_cast<std::uint8_t>(unsigned{memory.pre_load} | unsigned{memory.indexed} << 1 |
                                              (memory.elements - 1u) << 2);
        archive& form;
        if (archive.loading()) {
            memory.pre_load = (form & 1) != 0;
            memory.indexed = (form & 2) != 0;
            memory.elements = static_cast<std::uint8_t>((form >> 2) + 1);
        }
    }
};

}  // namespace lookahead::gpu
