#include "components/sm/lsu/lane_spaces.h"

#include <bit>

#include <fmt/format.h>

#include "components/isa/address_space.h"
#include "components/sm/lsu/lane_data.h"
#include "components/sm/lsu/memory_fault.h"
#include "core/bits/set_bits.h"

namespace lookahead::gpu {

namespace {

[[noreturn]] void refuse_misaligned(const MemoryInstruction& memory, unsigned lane) {
    throw MemoryFault(*memory.instruction, lane, memory.addresses[lane],
                      fmt::format("is not a multiple of the access's {} bytes", isa::lane_bytes(*memory.instruction)));
}

/// Those of `lanes` that access a word of their thread's local memory, which begins at `window`.
isa::LaneMask local_lanes(const MemoryInstruction& memory, isa::LaneMask lanes, std::uint64_t window) {
    const unsigned bytes = isa::lane_bytes(*memory.instruction);
    isa::LaneMask inside = 0;
    for (const unsigned lane : SetBits(lanes)) {
        const std::uint64_t offset = memory.addresses[lane] - window;
        const bool fits = (offset & (bytes - 1)) == 0 && bytes <= 4 && offset + bytes <= memory.local_bytes;
        inside |= isa::LaneMask{fits && offset < memory.local_bytes} << lane;
    }
    return inside;
}

/// Translates addresses in the lanes' local memory, which begins at `window`, to global memory. Local accesses have one
/// word at most (finaliser), because a thread's words are not adjacent.
void translate_local(MemoryInstruction& memory, isa::LaneMask lanes, std::uint64_t window) {
    const isa::Instruction& instruction = *memory.instruction;
    const unsigned bytes = isa::lane_bytes(instruction);
    for (const unsigned lane : SetBits(lanes)) {
        const std::uint64_t address = memory.addresses[lane];
        const std::uint64_t offset = address - window;
        if ((offset & (bytes - 1)) != 0) { refuse_misaligned(memory, lane); }
        if (offset >= memory.local_bytes || offset + bytes > memory.local_bytes) {
            throw MemoryFault(instruction, lane, address,
                              fmt::format("is outside the thread's local memory of {} bytes", memory.local_bytes));
        }
        if (bytes > 4) {
            throw MemoryFault(instruction, lane, address,
                              "is in local memory, where ordered accesses of more than a word are not supported");
        }
        memory.addresses[lane] = memory.local_base + isa::local_memory_offset(offset, lane);
    }
}

/// Moves lanes in the shared window to shared memory, at their offset there. Returns the lanes in the local window.
isa::LaneMask split_generic(QueuedInstruction& entry) {
    MemoryInstruction& memory = entry.memory;
    isa::LaneMask local = 0;
    for (isa::LaneMask left = memory.active; left != 0; left &= left - 1) {
        const auto lane = std::countr_zero(left);
        const std::uint64_t offset = memory.addresses[lane] - isa::kSharedWindowBase;
        if (offset < isa::kSharedWindowBytes) {
            memory.addresses[lane] = offset;
            entry.shared |= isa::LaneMask{1} << lane;
        } else if (memory.addresses[lane] - isa::kLocalWindowBase < isa::kLocalWindowBytes) {
            local |= isa::LaneMask{1} << lane;
        }
    }
    entry.global = memory.active & ~entry.shared;
    if (memory.pre_load) [[unlikely]] {
        const isa::LaneMask outside = local & ~local_lanes(memory, local, isa::kLocalWindowBase);
        entry.global &= ~outside;
        local &= ~outside;
    }
    translate_local(memory, local, isa::kLocalWindowBase);
    return local;
}

/// Removes a pre-load's lanes with unallocated addresses and returns their number; `local` lanes have been checked.
unsigned drop_unmapped(QueuedInstruction& entry, isa::LaneMask local, const AllocationMap& allocations) {
    const unsigned bytes = isa::lane_bytes(*entry.memory.instruction);
    unsigned dropped = 0;
    for (const unsigned lane : SetBits(entry.global & ~local)) {
        const std::uint64_t address = entry.memory.addresses[lane];
        if ((address & (bytes - 1)) != 0 || !allocations.contains(address, address + bytes)) {
            entry.global &= ~(isa::LaneMask{1} << lane);
            ++dropped;
        }
    }
    return dropped;
}

void check_global(const MemoryInstruction& memory, isa::LaneMask lanes, const AllocationMap& allocations) {
    const unsigned bytes = isa::lane_bytes(*memory.instruction);
    const AddressBlock block = block_of(memory.addresses, bytes);
    if ((block.low_bits & (bytes - 1)) == 0 && allocations.contains(block.begin, block.end)) { return; }
    for (const unsigned lane : SetBits(lanes)) {
        const std::uint64_t address = memory.addresses[lane];
        if ((address & (bytes - 1)) != 0) { refuse_misaligned(memory, lane); }
        if (!allocations.contains(address, address + bytes)) {
            throw MemoryFault(*memory.instruction, lane, address, "is not in allocated global memory");
        }
    }
}

void check_shared(const MemoryInstruction& memory, isa::LaneMask lanes) {
    const unsigned bytes = isa::lane_bytes(*memory.instruction);
    const AddressBlock block = block_of(memory.addresses, bytes);
    if ((block.low_bits & (bytes - 1)) == 0 && block.begin < block.end && block.end <= memory.shared_bytes) { return; }
    for (const unsigned lane : SetBits(lanes)) {
        const std::uint64_t address = memory.addresses[lane];
        if ((address & (bytes - 1)) != 0) { refuse_misaligned(memory, lane); }
        if (address >= memory.shared_bytes || address + bytes > memory.shared_bytes) {
            throw MemoryFault(*memory.instruction, lane, address,
                              fmt::format("is outside the CTA's shared memory of {} bytes", memory.shared_bytes));
        }
    }
}

}  // namespace

[[gnu::hot]] unsigned split_lanes(QueuedInstruction& entry, const AllocationMap& allocations) {
    MemoryInstruction& memory = entry.memory;
    LOOKAHEAD_DEBUG_ASSERT(
        isa::is_memory(memory.instruction->operation) && isa::lane_bytes(*memory.instruction) <= 4 * kMaximumRows,
        "a memory instruction has sixteen rows of data at most");
    entry.shared = 0;
    entry.global = 0;
    isa::LaneMask local = 0;
    switch (memory.instruction->space) {
        case isa::Space::shared:
            entry.shared = memory.active;
            break;
        case isa::Space::generic:
            local = split_generic(entry);
            break;
        case isa::Space::local:
            entry.global = local = memory.pre_load ? local_lanes(memory, memory.active, 0) : memory.active;
            translate_local(memory, local, 0);
            break;
        default:
            entry.global = memory.active;
            break;
    }
    if (memory.active != isa::kFullMask) { fill_inactive(memory.addresses, memory.active); }
    if (memory.pre_load) [[unlikely]] {
        entry.shared = 0;
        return drop_unmapped(entry, local, allocations);
    }
    if ((entry.global & ~local) != 0) { check_global(memory, entry.global & ~local, allocations); }
    if (entry.shared != 0) { check_shared(memory, entry.shared); }
    return 0;
}

}  // namespace lookahead::gpu
