#include "components/machine/perfect_memory_port.h"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/vector.hpp>

#include "core/error/error.h"
#include "core/stats/state_hasher.h"

namespace lookahead::gpu {

void PerfectMemoryPort::send(GpuMessage type, const std::byte* payload, std::size_t, Cycle) {
    memory_.perform(type, payload, replies_);
}

void PerfectMemoryPort::receive(const MessageHeader& message, Cycle) {
    throw InternalError("a message of type " + std::to_string(message.type) + " came to an SM from a perfect memory");
}

/// Popped messages stay in place until the next is pushed.
const MessageHeader* PerfectMemoryPort::next_reply(Cycle) {
    if (replies_.empty()) {
        return nullptr;
    }
    const MessageHeader& reply = replies_.front();
    replies_.pop();
    return &reply;
}

void PerfectMemoryPort::hash_state(StateHasher& hasher) const {
    replies_.hash(hasher);
}

void PerfectMemoryPort::save(boost::archive::binary_oarchive& archive) const {
    const_cast<HeldMessages&>(replies_).serialize(archive, 0);
}

void PerfectMemoryPort::load(boost::archive::binary_iarchive& archive) {
    replies_.serialize(archive, 0);
}

}  // namespace lookahead::gpu
