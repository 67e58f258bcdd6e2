#pragma once

#include <cstdint>

namespace lookahead::gpu {

/// In-ports of an SM, in the header's in_port. Messages tell by their type what they are; the memory
/// network's ports tell the reply arbiter which slice a message comes from.
inline constexpr std::uint16_t kSmDispatchPort = 0x8000;    ///< KernelBegin, CtaAssign, KernelEnd
inline constexpr std::uint16_t kSmAllocationPort = 0x8001;  ///< AllocationUpdate, from the host
inline constexpr std::uint16_t kSmReplyPort = 0;            ///< replies and credits: from L2 slice i at base + i

/// Out-ports of an SM, in the order in which it declares them.
inline constexpr unsigned kSmToDispatcher = 0;
inline constexpr unsigned kSmRequests = 1;  ///< to memory partitions, the load/store unit's
inline constexpr unsigned kSmCredits = 2;   ///< for replies taken, to memory partitions, the load/store unit's

}  // namespace lookahead::gpu
