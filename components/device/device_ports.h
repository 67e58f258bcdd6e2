#pragma once

#include <cstdint>

namespace lookahead::gpu {

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

}  // namespace lookahead::gpu
