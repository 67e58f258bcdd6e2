#pragma once

#include "components/sm/lsu/allocation_map.h"
#include "components/sm/lsu/instruction_queue.h"

namespace lookahead::gpu {

/// Splits the lanes of an instruction that was accepted by where their addresses lead: `entry.shared`, with offsets in
/// shared memory, and `entry.global`, of which those in local memory get addresses in the memory behind it. Throws
/// MemoryFault for an access that the program may not make; a pre-load leaves such lanes out, and those in shared
/// memory. Returns of how many lanes of a pre-load the addresses are not allocated.
unsigned split_lanes(QueuedInstruction& entry, const AllocationMap& allocations);

}  // namespace lookahead::gpu
