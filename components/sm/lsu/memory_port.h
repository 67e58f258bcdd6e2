#pragma once

#include <cstddef>
#include <cstdint>

#include "components/protocols/message_types.h"
#include "core/message/message.h"
#include "core/time/time.h"

namespace lookahead {
class Audit;
class StateArchive;
class StatisticsVisitor;
}  // namespace lookahead

namespace lookahead::gpu {

/// An SM's end of the memory network, as its load/store unit sees it.
///
/// Contract: requests to one line reach the line's owner in the order of `send`; `next_reply` returns the owner's
/// replies for one line in the order in which it sent them.
class MemoryPort {
  public:
    virtual ~MemoryPort() = default;

    virtual bool can_send(Cycle now) const = 0;
    /// Least cycle > `now` in which can_send holds if no message comes; kCycleInfinity: not without a message.
    virtual Cycle next_send(Cycle now) const = 0;
    /// Sends a ReadRequest, WriteRequest or AtomicRequest: all bytes of the payload.
    virtual void send(GpuMessage type, const std::byte* payload, std::size_t payload_bytes, Cycle now) = 0;

    /// Takes a message (a reply or a credit) that arrived in cycle `now`.
    virtual void receive(const MessageHeader& message, Cycle now) = 0;
    /// The next reply that the arbiter has let through by cycle `now`, or null. Valid until the next `receive`.
    virtual const MessageHeader* next_reply(Cycle now) = 0;
    /// Least cycle > `now` in which next_reply gives one if no message comes; kCycleInfinity when none.
    virtual Cycle next_reply_cycle(Cycle now) const = 0;

    /// Whether nothing waits in either direction.
    virtual bool drained() const = 0;

    virtual void audit(Audit&, std::uint32_t requester) const { static_cast<void>(requester); }
    virtual void visit_statistics(StatisticsVisitor&) const {}
    virtual void fields(StateArchive& archive) = 0;
};

}  // namespace lookahead::gpu
