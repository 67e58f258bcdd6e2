#pragma once

#include <cstddef>
#include <cstdint>

#include "components/protocols/message_types.h"
#include "core/message/message.h"
#include "core/time/time.h"

namespace boost::archive {
class binary_oarchive;
class binary_iarchive;
}  // namespace boost::archive

namespace lookahead {
class StateHasher;
class StatisticsVisitor;
}  // namespace lookahead

namespace lookahead::gpu {

/// An SM's end of the memory network, as its load/store unit sees it.
///
/// Contract:
/// - requests to one line reach the line's owner in the order of `send`, and the owner's replies for one line
/// come
///   out of `next_reply` in the order in which it sent them;
/// - what does not leave in a cycle leaves in a later one: a `can_send` that was false becomes true only in a
/// cycle
///   that `next_event` named or in which something was received.
class MemoryPort {
  public:
    virtual ~MemoryPort() = default;

    /// True if a request with that many payload bytes to the line may be sent at `now`.
    virtual bool can_send(std::uint64_t line, std::size_t payload_bytes, Cycle now) const = 0;
    /// Sends a request; the caller writes the payload to the place returned before its next call.
    virtual std::byte* send(std::uint64_t line, GpuMessage type, std::size_t payload_bytes, Cycle now) = 0;

    /// Hands over a message (a reply or a credit) that arrived at cycle `now`.
    virtual void receive(const MessageHeader& message, Cycle now) = 0;
    /// The next reply that the arbiter lets through in a cycle up to `now`, or null. It is valid until the
    /// next call.
    virtual const MessageHeader* next_reply(Cycle now) = 0;

    /// Least cycle > `now` in which a request may leave or a reply come out if no message comes;
    /// kCycleInfinity when none.
    virtual Cycle next_event(Cycle now) const = 0;
    /// True when nothing waits in either direction.
    virtual bool drained() const = 0;

    virtual void hash_state(StateHasher& hasher) const = 0;
    virtual void visit_statistics(StatisticsVisitor&) const {}
    virtual void save(boost::archive::binary_oarchive& archive) const = 0;
    virtual void load(boost::archive::binary_iarchive& archive) = 0;
};

}  // namespace lookahead::gpu
