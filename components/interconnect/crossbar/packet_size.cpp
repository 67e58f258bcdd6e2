#include "components/interconnect/crossbar/packet_size.h"

#include <string>

#include "core/error/error.h"

namespace lookahead::gpu {

unsigned packet_bytes(const MessageHeader& message) {
    switch (message.type) {
        case ReadRequest::kType:
            return packet_bytes(message.as<ReadRequest>());
        case WriteRequest::kType:
            return packet_bytes(message.as<WriteRequest>());
        case AtomicRequest::kType:
            return packet_bytes(message.as<AtomicRequest>());
        case ReadReply::kType:
            return read_reply_packet_bytes();
        case WriteAcknowledge::kType:
            return write_acknowledge_packet_bytes();
        case AtomicReply::kType:
            return atomic_reply_packet_bytes(message.as<AtomicReply>().lanes);
        default:
            break;
    }
    throw InternalError("a message of type " + std::to_string(message.type) + " came to the crossbar");
}

}  // namespace lookahead::gpu
