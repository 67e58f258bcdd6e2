#pragma once

#include <cstdint>

#include "components/protocols/memory.h"
#include "core/message/message.h"

namespace lookahead::gpu {

/// Size of packets on the modelled wires, which is not the size of the simulator's messages: a header of 8 bytes
/// (address, tag, byte or lane mask) and the data.
inline constexpr unsigned kPacketHeaderBytes = 8;

constexpr unsigned packet_bytes(const ReadRequest&) {
    return kPacketHeaderBytes;
}
constexpr unsigned packet_bytes(const WriteRequest& request) {
    return kPacketHeaderBytes + 4 * request.words;
}
/// One operand of the type's size a lane, two for compare-and-swap.
constexpr unsigned packet_bytes(const AtomicRequest& request) {
    const unsigned operands = request.op == isa::AtomicOp::cas ? 2 : 1;
    return kPacketHeaderBytes + request.lanes * operands * isa::type_bytes(request.type);
}
constexpr unsigned read_reply_packet_bytes() {
    return kPacketHeaderBytes + kLineBytes;
}
constexpr unsigned write_acknowledge_packet_bytes() {
    return kPacketHeaderBytes;
}
/// The reply does not tell the operands' type: 8 bytes a lane.
constexpr unsigned atomic_reply_packet_bytes(unsigned lanes) {
    return kPacketHeaderBytes + 8 * lanes;
}

/// Of a message of memory.h other than Credit, which takes no room on the modelled wires.
unsigned packet_bytes(const MessageHeader& message);

/// A message of memory.h takes no more bytes than this for a packet of `bytes`; buffers are sized by it.
constexpr unsigned message_bytes_bound(unsigned bytes) {
    return 64 + 6 * bytes;
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
