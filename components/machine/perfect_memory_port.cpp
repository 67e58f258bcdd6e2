#include "components/machine/perfect_memory_port.h"

#include "core/error/error.h"

namespace lookahead::gpu {

void PerfectMemoryPort::send(GpuMessage type, const std::byte* payload, std::size_t, Cycle) {
    memory_.perform(type, payload, replies_);
}

void PerfectMemoryPort::receive(const MessageHeader& message, Cycle) {
    throw InternalError("a message of type {} came to an SM from a perfect memory", message.type);
}

/// Popped messages stay in memory until the next is pushed.
const MessageHeader* PerfectMemoryPort::next_reply(Cycle) {
    if (replies_.empty()) { return nullptr; }
    const MessageHeader& reply = replies_.front();
    replies_.pop();
    return &reply;
}

void PerfectMemoryPort::fields(StateArchive& archive) {
    archive& replies_;
}

}  // namespace lookahead::gpu
