#pragma once

#include <algorithm>
#include <cstdint>

#include "components/protocols/message_types.h"

namespace lookahead::gpu {

/// Messages between the host and the memory partitions; they come only between kernels. `bytes` counts bytes of one
/// partition, from the local address of `address` on (AddressMapping::for_each_run).

/// The most bytes of data in one message.
inline constexpr unsigned kHostPieceBytes = 1024;

/// Splits `bytes` bytes from a local address on into messages: calls f(bytes before, bytes of the message) for each.
void for_each_host_piece(std::uint64_t local, std::uint64_t bytes, auto f) {
    for (std::uint64_t done = 0; done < bytes;) {
        const auto piece = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(bytes - done, kHostPieceBytes - (local + done) % kHostPieceBytes));
        f(done, piece);
        done += piece;
    }
}

/// Followed by `bytes` bytes.
struct HostWrite {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::host_write);
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint8_t fill_l2;  ///< 1: leave the data in L2 (host.copy_fills_l2)
    std::uint8_t asks;     ///< 1: asks for a HostAcknowledge
    std::uint8_t unused[2];
};

struct HostFill {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::host_fill);
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint8_t value;
    std::uint8_t asks;     ///< 1: asks for a HostAcknowledge
    std::uint8_t fill_l2;  ///< 1: leave the data in L2 (host.code_fills_l2)
    std::uint8_t unused;
};

struct HostRead {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::host_read);
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint32_t unused;
};

/// Followed by `bytes` bytes. They include dirty bytes of L2. A HostRead has as many replies as its bytes need, in
/// order.
struct HostReadReply {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::host_read_reply);
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint32_t is_last;  ///< 1: it is the last reply to that HostRead
};

/// The answer to each HostWrite and HostFill that asks for one.
struct HostAcknowledge {
    static constexpr std::uint8_t kType = static_cast<std::uint8_t>(GpuMessage::host_acknowledge);
    std::uint64_t address;
};

}  // namespace lookahead::gpu
