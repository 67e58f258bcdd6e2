#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "components/interconnect/crossbar/packet_size.h"
#include "core/lp/audit.h"
#include "core/lp/logical_process.h"
#include "core/time/clock_domain.h"

namespace lookahead::gpu {

/// One network of a NetworkPair, of requests or of replies: packets that wait, and cycles in which some of them move.
/// Credit messages take no room and bypass the packets.
///
/// In-port source * destinations + destination takes the messages of one path, and the destination of out-port 0 with
/// the same number passes them on.
class NetworkProcess : public LogicalProcess {
  public:
    struct Ends {
        unsigned sources;
        unsigned destinations;
        Cycle delivery_latency;
        std::int64_t flit_bytes;
        std::int64_t frequency;
        std::int64_t atomic_lane_bytes = kAtomicLaneBytes;
    };
    explicit NetworkProcess(const Ends& ends);

    void advance(Inbox inbox, Time horizon) final;
    Time next_event_time() const final {
        return next_cycle_ == kCycleInfinity ? kTimeInfinity : clock_.edge(next_cycle_);
    }
    bool finished() const final { return packets() == 0; }
    std::string waiting_for() const final;
    void audit(Audit& audit) const override { audit.leak(name(), "packets under way", packets()); }

  protected:
    virtual std::size_t packets() const = 0;  ///< the number of packets under way
    /// Takes a packet (not a credit) that comes from a source in cycle `now`.
    virtual void receive(const MessageHeader& message, Cycle now) = 0;
    /// Moves packets in cycle `now` == next_cycle_, and sets next_cycle_ to the next cycle with work.
    virtual void cycle(Cycle now) = 0;
    /// Cycles that a credit from an in-port takes in addition to its delivery; it bypasses all packets.
    virtual Cycle way_of_credit(std::uint16_t /*in_port*/) const { return 0; }
    virtual void count_credit() = 0;

    /// Forwards a packet whose tail flit leaves the network in cycle `now`.
    void deliver(const MessageHeader& message, Cycle now);
    void wake(Cycle when) { next_cycle_ = std::min(next_cycle_, when); }

    Ends ends_;
    ClockDomain clock_;
    FlitCounter flits_of_;
    Cycle next_cycle_ = kCycleInfinity;

  private:
    void pass_by(const MessageHeader& credit, Cycle now);

    OutPort& out_;
};

}  // namespace lookahead::gpu
