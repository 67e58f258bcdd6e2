#include "components/interconnect/crossbar/packet_size.h"

#include "core/error/error.h"

namespace lookahead::gpu {

[[gnu::hot]] unsigned packet_bytes(MessageType type, std::size_t payload_bytes, unsigned atomic_lane_bytes) {
    const auto beyond = [payload_bytes](std::size_t fixed) { return static_cast<unsigned>(payload_bytes - fixed); };
    switch (type) {
        case ReadRequest::kType:
        case WriteAcknowledge::kType:
            return kPacketHeaderBytes;
        case WriteRequest::kType:
            return kPacketHeaderBytes + beyond(sizeof(WriteRequest));
        case AtomicRequest::kType:
            return kPacketHeaderBytes + beyond(sizeof(AtomicRequest)) / sizeof(AtomicLane) * atomic_lane_bytes;
        case ReadReply::kType:
            return kPacketHeaderBytes + beyond(sizeof(ReadReply));
        case AtomicReply::kType:
            return kPacketHeaderBytes + beyond(sizeof(AtomicReply)) / sizeof(AtomicValue) * atomic_lane_bytes;
        default:
            break;
    }
    throw InternalError("a message of type {} came to the crossbar", type);
}

[[gnu::hot]] unsigned packet_bytes(const MessageHeader& message, unsigned atomic_lane_bytes) {
    if (message.type == WriteRequest::kType) {  // may be padded
        return kPacketHeaderBytes + 4 * message.as<WriteRequest>().words;
    }
    return packet_bytes(message.type, message.payload_bytes(), atomic_lane_bytes);
}

}  // namespace lookahead::gpu
