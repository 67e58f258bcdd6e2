#pragma once

#include <cstdint>

namespace lookahead::gpu {

/// In-ports of an SM, as in the message header's in_port. Messages are told apart by type; the ports of the memory
/// network tell the reply arbiter from which slice a message comes.
inline constexpr std::uint16_t kSmDispatchPort = 0x8000;    ///< KernelBegin, CtaAssign, KernelEnd
inline constexpr std::uint16_t kSmAllocationPort = 0x8001;  ///< AllocationUpdate, from the host
inline constexpr std::uint16_t kSmReplyPort = 0;            ///< replies and credits: from L2 slice i at base + i

/// Out-ports of an SM, in the order of their declaration.
inline constexpr unsigned kSmToDispatcher = 0;
inline constexpr unsigned kSmRequests = 1;  ///< of the load/store unit, to memory partitions
inline constexpr unsigned kSmCredits = 2;   ///< of the load/store unit, to memory partitions, for replies taken

}  // namespace lookahead::gpu
