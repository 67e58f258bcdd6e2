#pragma once

#include <cstdint>

#include "components/protocols/memory.h"
#include "core/message/message.h"

namespace lookahead::gpu {

/// Size of packets on the modelled wires, which differs from the size of the simulator's messages: a header of 8 bytes
/// (address, tag, byte, sector or lane mask) and the data: the sectors for a read reply, the words for a write, and
/// CrossbarParameters::atomic_lane_bytes per lane for an atomic and its reply.
inline constexpr unsigned kPacketHeaderBytes = 8;

inline constexpr unsigned kAtomicLaneBytes = 8;  ///< the most, and CrossbarParameters' default
/// The packet's size for a message of memory.h other than Credit, which takes no room on the modelled wires.
/// `payload_bytes`: the size of the message's payload before padding.
unsigned packet_bytes(MessageType type, std::size_t payload_bytes, unsigned atomic_lane_bytes = kAtomicLaneBytes);
unsigned packet_bytes(const MessageHeader& message, unsigned atomic_lane_bytes = kAtomicLaneBytes);

/// The largest packet: an atomic or its reply for all lanes of a warp.
inline constexpr unsigned kLargestPacketBytes = kPacketHeaderBytes + kAtomicLaneBytes * isa::kWarpSize;
static_assert(kLargestPacketBytes >= kPacketHeaderBytes + kLineBytes);

/// The most bytes of a message of memory.h for a packet of `bytes`; it sizes the buffers.
constexpr unsigned message_bytes_bound(unsigned bytes, unsigned atomic_lane_bytes = kAtomicLaneBytes) {
    return 64 + 3 * bytes * kAtomicLaneBytes / atomic_lane_bytes;
}

/// Computes ceil(bytes / flit_bytes), the number of flits of some bytes or of a packet, without a division.
class FlitCounter {
  public:
    explicit FlitCounter(std::int64_t flit_bytes, std::int64_t atomic_lane_bytes = kAtomicLaneBytes)
        : atomic_lane_bytes_(static_cast<unsigned>(atomic_lane_bytes)),
          round_up_(static_cast<std::uint32_t>(flit_bytes - 1)),
          reciprocal_((std::uint64_t{1} << 32) / static_cast<std::uint64_t>(flit_bytes) + 1) {}

    /// Exact for `bytes` below 4096, because (bytes + flit_bytes) * flit_bytes < 2^32.
    unsigned operator()(unsigned bytes) const {
        return static_cast<unsigned>(((bytes + round_up_) * reciprocal_) >> 32);
    }
    /// The most bytes of a message for each flit of its packet.
    unsigned message_bytes_bound() const { return gpu::message_bytes_bound(round_up_ + 1, atomic_lane_bytes_); }
    unsigned of(const MessageHeader& message) const { return (*this)(packet_bytes(message, atomic_lane_bytes_)); }
    unsigned of(MessageType type, std::size_t payload_bytes) const {
        return (*this)(packet_bytes(type, payload_bytes, atomic_lane_bytes_));
    }

  private:
    unsigned atomic_lane_bytes_;
    std::uint32_t round_up_;
    std::uint64_t reciprocal_;
};

}  // namespace lookahead::gpu
