#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "components/interconnect/crossbar/crossbar_parameters.h"
#include "components/interconnect/crossbar/packet_ring.h"
#include "components/interconnect/crossbar/packet_size.h"
#include "core/message/message.h"
#include "core/port/out_port.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"
#include "core/time/clock_domain.h"

namespace lookahead::gpu {

/// Tells which row of the receiver's DRAM a packet accesses: equal numbers for the same row of the same bank.
class PacketRow {
  public:
    virtual ~PacketRow() = default;
    virtual std::uint64_t row_of(const MessageHeader& packet) const = 0;
};

/// Counts of packets that went out of turn.
struct HeldGrantCounters {
    LOOKAHEAD_COUNTER(same_sender, "packet",
                      "Packets that went out of turn after a packet of the same sender and row.");
    LOOKAHEAD_COUNTER(other_sender, "packet",
                      "Packets that went out of turn after a packet of another sender for the same row.");
    LOOKAHEAD_COUNTER(ended_by_bound, "packet",
                      "Packets for the previous packet's row that had to wait for their turn.");
    LOOKAHEAD_ALL_DECLARED;
};

/// Row-matching hold grant (Yuan, Bakhoda and Aamodt, MICRO 2009): after a packet the arbiter takes another one for the
/// same row, first of the same sender and then of the others in their order, so that packets that a sender has grouped
/// stay together, and requests of several senders for a row meet. Our bound: after `bound` such packets in a row it
/// takes one packet of the sender whose turn it is, for any row; so a sender's packet waits for at most senders *
/// (bound + 1) others.
struct HeldGrants {
    HeldGrants(const PacketRow& packet_row, unsigned most) : rows(packet_row), bound(most) {}

    const PacketRow& rows;
    unsigned bound;
    std::uint32_t granted = 0;  ///< packets that went out of turn, one after another
    bool held = false;          ///< whether the chosen packet goes out of turn
    HeldGrantCounters counters;

    void fields(StateArchive& archive) { archive& granted& held& counters; }
};

struct EjectionCounters {
    LOOKAHEAD_COUNTER(packets, "packet", "Packets taken from the crossbar.");
    LOOKAHEAD_COUNTER(flits, "flit", "Flits taken: cycles in which the port was busy.");
    LOOKAHEAD_COUNTER(wait_cycles, "cycle",
                      "Cycles from a packet's arrival until its owner takes it, over all packets.");
    LOOKAHEAD_COUNTER(credit_messages, "message", "Messages that returned credits.");
    LOOKAHEAD_ALL_DECLARED;
};

/// The receiving side of a crossbar port with its arbiter: one queue for each sender; a round-robin arbiter takes one
/// packet after another from them at one flit per cycle. A packet's message arrives with its tail flit; it passes
/// without delay through a port that has been idle for as many cycles as the packet has flits, as in a cut-through
/// crossbar. The arbiter chooses when the previous packet has been popped, or when a packet comes to an idle port.
///
/// The owner calls receive for each packet, then pops the arrived ones. Popping a packet returns its buffer space to
/// the sender, in Credit messages of credit_batch flits.
class EjectionPort {
  public:
    /// Sends credits through destinations 0..sources-1 of `credits`, one for each sender, whose channels have a
    /// lookahead of clock.least_span(credit_latency).
    EjectionPort(const CrossbarParameters& parameters, Cycle credit_latency, const ClockDomain& clock, OutPort& credits,
                 unsigned sources);

    /// Takes a packet (any message of memory.h but Credit) of `source` that arrived in cycle `now`, the first whose
    /// edge is not before message.time. Call it in the engine's order of messages, and before the owner's work in that
    /// cycle.
    void receive(const MessageHeader& message, unsigned source, Cycle now);

    /// The packet whose tail the port has taken by cycle `now`; nullptr if none. It remains until pop. Its `time` is
    /// the cycle in which it arrived.
    const MessageHeader* front(Cycle now) const {
        return chosen_ != kNone && complete_at_ <= now ? &queues_[chosen_].front() : nullptr;
    }
    /// The sender of front().
    unsigned front_source() const { return chosen_; }
    /// Removes front(); the message stays valid until the next receive.
    void pop(Cycle now) { pop(now, now); }
    /// The same for an owner that looks at the port only in some cycles: it took front() as soon as the port had its
    /// tail, and reports it now.
    void pop_late(Cycle now) { pop(complete_at_, now); }

    /// The least cycle > now in which front() is not null if nothing more arrives; kCycleInfinity if none.
    Cycle next_event(Cycle now) const { return chosen_ == kNone ? kCycleInfinity : std::max(complete_at_, now + 1); }

    /// Makes a packet for the row of the previous one go out of turn from now on (HeldGrants). `rows` must outlive the
    /// port.
    void hold_grants(const PacketRow& rows, unsigned bound) { held_ = std::make_unique<HeldGrants>(rows, bound); }
    /// Null for round-robin grants.
    const HeldGrants* held_grants() const { return held_.get(); }

    bool empty() const { return chosen_ == kNone; }
    /// The number of flits taken from `source` that were not yet returned as credits.
    unsigned withheld_credits(unsigned source) const { return withheld_[source]; }
    unsigned sources() const { return static_cast<unsigned>(withheld_.size()); }
    const EjectionCounters& counters() const { return counters_; }

    void fields(StateArchive& archive);

  private:
    static constexpr unsigned kNone = ~0u;

    void pop(Cycle taken, Cycle now);
    void choose(unsigned source, Cycle now);
    /// The next source with a packet after `source`, cyclically; kNone if there is none.
    unsigned next_source(unsigned source) const;
    unsigned out_of_turn(std::uint64_t row);

    FlitCounter flits_of_;
    Cycle credit_latency_;
    std::uint32_t credit_batch_;
    ClockDomain clock_;
    OutPort& credits_;

    std::vector<PacketRing> queues_;
    std::vector<std::uint64_t> waiting_;  ///< one bit for each source: whether it has packets
    std::vector<std::uint32_t> withheld_;
    unsigned chosen_ = kNone;
    unsigned chosen_flits_ = 0;
    unsigned last_source_ = 0;  ///< of the last packet that had its turn
    Cycle complete_at_ = 0;     ///< cycle in which the port has the chosen packet's tail
    Cycle last_flit_ = -1;      ///< cycle in which the last packet was handed over
    std::unique_ptr<HeldGrants> held_;
    EjectionCounters counters_;
};

}  // namespace lookahead::gpu
