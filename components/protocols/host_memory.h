#pragma once

#include <cstddef>
#include <cstdint>

#include "components/protocols/message_types.h"

namespace lookahead::gpu {

/// Messages between the host and the memory partitions, between kernels only. A piece never crosses the border of a
/// partition's interleaving (AddressMapping::interleave_bytes).

inline constexpr unsigned kHostPieceBytes = 1024;

/// Followed by `bytes` bytes.
struct HostWrite {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::host_write);
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint32_t fill_l2;  ///< 1: leave the data in L2 (host.copy_fills_l2)
};

struct HostFill {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::host_fill);
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint8_t value;
    std::uint8_t unused[3];
};

struct HostRead {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::host_read);
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint32_t unused;
};

/// Followed by `bytes` bytes. Reads see dirty lines of L2.
struct HostReadReply {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::host_read_reply);
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint32_t unused;
};

/// One for each HostWrite and HostFill.
struct HostAcknowledge {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::host_acknowledge);
    std::uint64_t address;
};

}  // namespace lookahead::gpu
