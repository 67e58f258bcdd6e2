#pragma once

#include "components/sm/lsu/allocation_map.h"
#include "components/sm/lsu/instruction_queue.h"

namespace lookahead::gpu {

/// Splits the lanes of an accepted instruction by memory space: `entry.shared`, with offsets in shared memory, and
/// `entry.global`, with translated local addresses. Throws MemoryFault for an access that the program may not make; a
/// pre-load omits such lanes and those in shared memory. Returns the number of a pre-load's unallocated lanes.
unsigned split_lanes(QueuedInstruction& entry, const AllocationMap& allocations);

}  // namespace lookahead::gpu
