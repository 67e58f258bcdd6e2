#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/message/message.h"

namespace lookahead {
class StateArchive;
}

namespace lookahead::gpu {

/// A queue that stores messages in one piece of memory. The memory grows up to a fixed size, because few queues of a
/// machine ever hold as much as their credits allow. A message never wraps. An empty queue starts over at the front, so
/// that a short queue stays within a few cache lines.
class PacketRing {
  public:
    /// Room for any messages of `bytes` together, none larger than `largest`.
    PacketRing(std::size_t bytes, std::size_t largest);

    bool empty() const { return packets_ == 0; }
    std::size_t packets() const { return packets_; }
    const MessageHeader& front() const { return *reinterpret_cast<const MessageHeader*>(words_.get() + head_); }

    /// Appends a message and returns its head; the caller fills the payload. Earlier references into the ring become
    /// invalid. Throws InternalError if there is no room, which means that the sender broke the credit protocol.
    MessageHeader& push(const MessageHeader& head);
    /// Appends a message with its payload.
    MessageHeader& push_copy(const MessageHeader& message);
    void pop();

    void fields(StateArchive& archive);

  private:
    void for_each(auto&& f) const;
    bool find_room(std::size_t words);
    void grow(std::size_t words);

    std::unique_ptr<std::uint64_t[]> words_;
    std::size_t most_;  ///< words
    std::size_t capacity_ = 0;
    std::size_t head_ = 0;
    std::size_t tail_ = 0;
    std::size_t wrap_ = 0;  ///< the end of the messages at the end of the memory, while they wrap (tail_ < head_)
    std::size_t packets_ = 0;
};

}  // namespace lookahead::gpu
