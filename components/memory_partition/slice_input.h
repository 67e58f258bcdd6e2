#pragma once

#include <algorithm>
#include <cstddef>

#include "components/interconnect/crossbar/ejection_port.h"
#include "components/interconnect/crossbar/packet_ring.h"
#include "components/interconnect/partition_ports.h"
#include "components/memory_partition/l2_parameters.h"
#include "core/bits/ring.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

/// Where requests come to a slice: its crossbar port and, with `l2.input_latency`, a pipeline between port and tags.
/// The port stops while `l2.input_queue` requests wait for the tags.
class SliceInput {
  public:
    SliceInput(const L2Parameters& parameters, const CrossbarParameters& crossbar, const ClockDomain& clock,
               OutPort& replies, unsigned requesters)
        : port_(crossbar, crossbar.reply_latency, clock, replies, requesters),
          latency_(parameters.input_latency),
          most_waiting_(static_cast<unsigned>(parameters.input_queue)),
          requests_(places(parameters) * kMessageBytes, kMessageBytes),
          ready_(places(parameters)) {}

    EjectionPort& port() { return port_; }
    const EjectionPort& port() const { return port_; }
    bool delays() const { return latency_ > 0; }
    bool empty() const { return port_.empty() && requests_.empty(); }

    /// Takes a request of the port into the pipeline.
    void enter(Cycle now) {
        if (!delays() || full(now)) { return; }
        if (const MessageHeader* request = port_.front(now); request != nullptr) {
            requests_.push_copy(*request);
            ready_.push() = now + latency_;
            port_.pop(now);
        }
    }
    /// Least cycle > `now` in which enter() has work.
    Cycle next_entry(Cycle now) const { return delays() && !full(now + 1) ? port_.next_event(now) : kCycleInfinity; }

    /// The request whose tags can be looked up; nullptr if none.
    const MessageHeader* front(Cycle now) const {
        if (!delays()) { return port_.front(now); }
        return !requests_.empty() && ready_.front() <= now ? &requests_.front() : nullptr;
    }
    static unsigned source_of(const MessageHeader& request) { return request.in_port & (kMaximumRequesters - 1); }
    /// Least cycle > `now` in which there is a front if nothing more comes.
    Cycle next_front(Cycle now) const {
        if (!delays()) { return port_.next_event(now); }
        return requests_.empty() ? kCycleInfinity : std::max(ready_.front(), now + 1);
    }
    void pop(Cycle now) {
        if (!delays()) { return port_.pop(now); }
        requests_.pop();
        ready_.pop();
    }

    void fields(StateArchive& archive) {
        archive& port_;
        if (delays()) {
            archive& requests_;
            ready_.fields(archive, [&](Cycle& each) { archive& each; });
        }
    }

  private:
    static constexpr std::size_t kMessageBytes = sizeof(MessageHeader) + kMaximumPayloadBytes;
    /// The port takes one request a cycle.
    static std::size_t places(const L2Parameters& parameters) {
        return static_cast<std::size_t>(parameters.input_latency + parameters.input_queue + 1);
    }
    /// Whether as many requests as there may be wait for the tags in cycle `now`.
    bool full(Cycle now) const { return ready_.size() >= most_waiting_ && ready_[most_waiting_ - 1] <= now; }

    EjectionPort port_;
    Cycle latency_;
    unsigned most_waiting_;
    PacketRing requests_;  ///< between the port and the tags
    Ring<Cycle> ready_;    ///< of each: the first cycle in which its tags may be looked up
};

}  // namespace lookahead::gpu
