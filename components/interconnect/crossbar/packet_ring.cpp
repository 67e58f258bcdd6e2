#include "components/interconnect/crossbar/packet_ring.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/error/error.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

namespace {

constexpr std::size_t kFirstWords = 64;  // two or three packets with data

}  // namespace

PacketRing::PacketRing(std::size_t bytes, std::size_t largest) : most_((bytes + 2 * largest) / 8 + 1) {}

void PacketRing::for_each(auto&& f) const {
    std::size_t at = head_;
    for (std::size_t i = 0; i < packets_; ++i) {
        if (at == wrap_) { at = 0; }
        const auto& message = *reinterpret_cast<const MessageHeader*>(words_.get() + at);
        f(message);
        at += message.total_bytes() / 8;
    }
}

[[gnu::hot]] MessageHeader& PacketRing::push(const MessageHeader& head) {
    const std::size_t words = head.total_bytes() / 8;
    if (packets_ == 0) {
        head_ = tail_ = 0;
        wrap_ = capacity_;
    }
    if (!find_room(words)) [[unlikely]] { grow(words); }
    auto* place = reinterpret_cast<MessageHeader*>(words_.get() + tail_);
    std::memcpy(static_cast<void*>(place), &head, sizeof head);
    tail_ += words;
    ++packets_;
    return *place;
}

/// Whether this many words fit after the tail; moves the tail to the front if they fit only there.
[[gnu::hot]] bool PacketRing::find_room(std::size_t words) {
    const bool wrapped = packets_ > 0 && tail_ <= head_;
    if (wrapped || tail_ + words <= capacity_) { return tail_ + words <= (wrapped ? head_ : capacity_); }
    if (words > head_) { return false; }
    wrap_ = tail_;
    tail_ = 0;
    return true;
}

/// Grows until this many words fit after the tail.
void PacketRing::grow(std::size_t words) {
    const std::size_t capacity = std::min(most_, std::max({kFirstWords, 2 * capacity_, capacity_ + words}));
    auto larger = std::make_unique_for_overwrite<std::uint64_t[]>(capacity);
    std::size_t end = 0;
    for_each([&](const MessageHeader& message) {
        std::memcpy(larger.get() + end, &message, message.total_bytes());
        end += message.total_bytes() / 8;
    });
    LOOKAHEAD_ASSERT(end + words <= capacity, "more packets arrived at a crossbar port than there were credits for");
    words_ = std::move(larger);
    capacity_ = wrap_ = capacity;
    head_ = 0;
    tail_ = end;
}

[[gnu::hot]] MessageHeader& PacketRing::push_copy(const MessageHeader& message) {
    MessageHeader& place = push(message);
    std::memcpy(static_cast<void*>(&place + 1), message.payload(), message.payload_bytes());
    return place;
}

[[gnu::hot]] void PacketRing::pop() {
    head_ += front().total_bytes() / 8;
    --packets_;
    if (head_ == wrap_) {
        head_ = 0;
        wrap_ = capacity_;
    }
}

void PacketRing::fields(StateArchive& archive) {
    std::uint64_t packets = packets_;
    archive& packets;
    if (!archive.loading()) {
        for_each([&](const MessageHeader& message) {
            archive.plain(reinterpret_cast<std::uint64_t*>(const_cast<MessageHeader*>(&message)),
                          message.total_bytes() / 8);
        });
        return;
    }
    packets_ = 0;
    for (; packets > 0; --packets) {
        MessageHeader head;
        archive.plain(head);
        MessageHeader& place = push(head);
        archive.plain(reinterpret_cast<std::byte*>(&place + 1), head.payload_bytes());
    }
}

}  // namespace lookahead::gpu
