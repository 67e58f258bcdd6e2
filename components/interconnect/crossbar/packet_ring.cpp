#include "components/interconnect/crossbar/packet_ring.h"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <cstring>

#include "core/error/error.h"
#include "core/stats/state_hasher.h"

namespace lookahead::gpu {

PacketRing::PacketRing(std::size_t bytes, std::size_t largest)
    : words_((bytes + 2 * largest) / 8 + 1), capacity_((bytes + 2 * largest) / 8 + 1), wrap_(capacity_) {}

MessageHeader& PacketRing::push(const MessageHeader& head) {
    const std::size_t words = head.total_bytes() / 8;
    if (packets_ == 0) {
        head_ = tail_ = 0;
        wrap_ = capacity_;
    }
    const bool wrapped = packets_ > 0 && tail_ <= head_;
    std::size_t end = wrapped ? head_ : capacity_;
    if (!wrapped && tail_ + words > end) {
        wrap_ = tail_;
        tail_ = 0;
        end = head_;
    }
    LOOKAHEAD_ASSERT(tail_ + words <= end, "more packets arrived at a crossbar port than there were credits for");
    auto* place = reinterpret_cast<MessageHeader*>(words_.get() + tail_);
    std::memcpy(static_cast<void*>(place), &head, sizeof head);
    tail_ += words;
    ++packets_;
    return *place;
}

MessageHeader& PacketRing::push_copy(const MessageHeader& message) {
    MessageHeader& place = push(message);
    std::memcpy(static_cast<void*>(&place + 1), message.payload(), message.payload_bytes());
    return place;
}

void PacketRing::pop() {
    head_ += front().total_bytes() / 8;
    --packets_;
    if (head_ == wrap_) {
        head_ = 0;
        wrap_ = capacity_;
    }
}

template <class F>
void PacketRing::for_each(F&& f) const {
    std::size_t at = head_;
    for (std::size_t i = 0; i < packets_; ++i) {
        if (at == wrap_) {
            at = 0;
        }
        const auto& message = *reinterpret_cast<const MessageHeader*>(words_.get() + at);
        f(message);
        at += message.total_bytes() / 8;
    }
}

void PacketRing::hash(StateHasher& hasher) const {
    hasher.add(packets_);
    for_each([&](const MessageHeader& message) { hasher.add_bytes(&message, message.total_bytes()); });
}

void PacketRing::save(boost::archive::binary_oarchive& archive) const {
    const std::uint64_t packets = packets_;
    archive << packets;
    for_each([&](const MessageHeader& message) { archive.save_binary(&message, message.total_bytes()); });
}

void PacketRing::load(boost::archive::binary_iarchive& archive) {
    packets_ = 0;
    std::uint64_t packets = 0;
    archive >> packets;
    for (std::uint64_t i = 0; i < packets; ++i) {
        MessageHeader head;
        archive.load_binary(&head, sizeof head);
        MessageHeader& place = push(head);
        archive.load_binary(&place + 1, head.payload_bytes());
    }
}

}  // namespace lookahead::gpu
