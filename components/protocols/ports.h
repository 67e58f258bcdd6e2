#pragma once

#include <cstdint>

namespace lookahead::gpu {

/// In-ports of an SM, as in the message header's in_port. The type of a message tells its meaning; the ports of the
/// memory network tell the reply arbiter from which slice it comes.
inline constexpr std::uint16_t kSmDispatchPort = 0x8000;    ///< KernelBegin, CtaAssign, KernelEnd
inline constexpr std::uint16_t kSmAllocationPort = 0x8001;  ///< AllocationUpdate, from the host
inline constexpr std::uint16_t kSmReplyPort = 0;            ///< replies and credits: from L2 slice i at base + i

/// Out-ports of an SM, in the order of their declaration.
inline constexpr unsigned kSmToDispatcher = 0;
inline constexpr unsigned kSmRequests = 1;  ///< of the load/store unit, to memory partitions
inline constexpr unsigned kSmCredits = 2;   ///< of the load/store unit, to memory partitions, for replies taken

/// In-ports of the host and of the CTA dispatcher, in the header's in_port. The message's type tells its meaning; if
/// the sender matters, the in-port is the base plus the sender's number.
inline constexpr std::uint16_t kHostMemoryPort = 0;  ///< host: from partition i at base + i
inline constexpr std::uint16_t kHostDispatcherPort = 0x8000;
inline constexpr std::uint16_t kDispatcherHostPort = 0x8000;
inline constexpr std::uint16_t kDispatcherSmPort = 0;  ///< dispatcher: from SM i at base + i

/// Out-ports, in the order in which the processes declare them.
inline constexpr unsigned kHostToMemory = 0;  ///< fan-out over the memory partitions
inline constexpr unsigned kHostToDispatcher = 1;
inline constexpr unsigned kHostToSms = 2;        ///< fan-out over the SMs
inline constexpr unsigned kDispatcherToSms = 0;  ///< fan-out over the SMs
inline constexpr unsigned kDispatcherToHost = 1;
inline constexpr unsigned kDispatcherToMemory = 2;  ///< fan-out over the memory partitions

/// In-ports of a memory partition: one for the path from each requester m to each slice s (of the channel), which
/// carries requests and the credits for the slice's replies; one for the host; and one for the CTA dispatcher.
inline constexpr unsigned kPartitionRequesterBits = 10;
inline constexpr unsigned kMaximumRequesters = 1u << kPartitionRequesterBits;
inline constexpr std::uint16_t kPartitionHostPort = 0xffff;
inline constexpr std::uint16_t kPartitionDispatcherPort = 0xfffe;

constexpr std::uint16_t partition_in_port(unsigned slice, unsigned requester) {
    return static_cast<std::uint16_t>(slice << kPartitionRequesterBits | requester);
}

/// Out-ports of a memory partition of n slices: port s, from 0 to n - 1, leads from slice s to the requesters, with one
/// destination for each in their order, and carries replies and the credits for requests; port n leads to the host.
constexpr unsigned partition_host_out_port(unsigned slices) {
    return slices;
}

}  // namespace lookahead::gpu
