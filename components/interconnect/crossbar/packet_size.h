#pragma once

#include <cstdint>

#include "components/protocols/memory.h"
#include "core/message/message.h"

namespace lookahead::gpu {

/// Size of packets on the modelled wires, which differs from the size of the simulator's messages: a header of 8 bytes
/// (address, tag, byte, sector or lane mask) and the data: the sectors for a read reply, the words for a write, 8 bytes
/// per lane (one operand of 64 bits or two of 32) for an atomic and its reply.
inline constexpr unsigned kPacketHeaderBytes = 8;

/// For a message of memory.h other than Credit, which takes no room on the modelled wires. `payload_bytes` is that of
/// the message before padding.
unsigned packet_bytes(MessageType type, std::size_t payload_bytes);
unsigned packet_bytes(const MessageHeader& message);

/// The largest packet: an atomic or its reply for all lanes of a warp.
inline constexpr unsigned kLargestPacketBytes = kPacketHeaderBytes + 8 * isa::kWarpSize;
static_assert(kLargestPacketBytes >= kPacketHeaderBytes + kLineBytes);

/// The most bytes of a message of memory.h for a packet of `bytes`; it sizes the buffers.
constexpr unsigned message_bytes_bound(unsigned bytes) {
    return 64 + 3 * bytes;
}

/// ceil(bytes / flit_bytes) without a division.
class FlitCounter {
  public:
    explicit FlitCounter(std::int64_t flit_bytes)
        : round_up_(static_cast<std::uint32_t>(flit_bytes - 1)),
          reciprocal_((std::uint64_t{1} << 32) / static_cast<std::uint64_t>(flit_bytes) + 1) {}

    /// `bytes` below 4096: exact, since (bytes + flit_bytes) * flit_bytes < 2^32.
    unsigned operator()(unsigned bytes) const {
        return static_cast<unsigned>(((bytes + round_up_) * reciprocal_) >> 32);
    }

  private:
    std::uint32_t round_up_;
    std::uint64_t reciprocal_;
};

}  // namespace lookahead::gpu
