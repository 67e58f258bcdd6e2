#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/interconnect/crossbar/crossbar_parameters.h"
#include "components/interconnect/crossbar/packet_ring.h"
#include "components/interconnect/crossbar/packet_size.h"
#include "core/port/out_port.h"
#include "core/state/state_archive.h"
#include "core/stats/statistics.h"
#include "core/time/clock_domain.h"

namespace lookahead::gpu {

struct InjectionCounters {
    LOOKAHEAD_COUNTER(packets, "packet", "Packets sent into the crossbar.");
    LOOKAHEAD_COUNTER(flits, "flit", "Flits sent: cycles in which the port was busy.");
    LOOKAHEAD_COUNTER(wait_cycles, "cycle", "Cycles from a packet's readiness to its first flit, over all packets.");
    LOOKAHEAD_COUNTER(blocked_packets, "packet",
                      "Packets that waited in the queue for credits, their own or those of an earlier packet.");
    LOOKAHEAD_COUNTER(blocked_cycles, "cycle", "Cycles in which the packet at the head had no credits.");
    LOOKAHEAD_ALL_DECLARED;
};

/// The sending side of a crossbar port: one queue, from which packets leave in order at one flit per cycle, each as
/// soon as the path to its destination has credits for all its flits. A packet without credits delays all later ones,
/// whatever their destination, as in an input-queued crossbar without virtual channels. So does a packet whose sender
/// has too many flits under way to all destinations together, if that is limited (sender_flits).
///
/// The port has no events of its own. A packet that has credits and no blocked packet before it is sent when it is
/// pushed, with the arrival that follows from its place in the queue: its first flit leaves in the first cycle, not
/// before `ready`, in which all earlier flits have left. Only blocked packets are stored, until receive_credit frees
/// them.
class InjectionPort {
  public:
    /// Sends through destinations 0..destinations-1 of `out`, whose channels have a lookahead of
    /// clock.least_span(latency).
    InjectionPort(const CrossbarParameters& parameters, Cycle latency, const ClockDomain& clock, OutPort& out,
                  unsigned destinations);

    /// Allows packets to have detours from now on. Packets to one destination still arrive in order: one with a detour
    /// delays those behind it.
    void allow_detours() { arrivals_.resize(credits_.size(), 0); }

    /// Whether a packet may be pushed in cycle `now`: fewer than `injection_flits` flits wait.
    bool can_accept(Cycle now) const { return waiting_flits(now) < queue_flits_; }
    /// The least cycle > now in which can_accept holds if no credits come; kCycleInfinity if it needs credits.
    Cycle next_acceptance(Cycle now) const;

    /// Queues a packet whose first flit may leave from cycle `ready` on; `ready` must not decrease from push to push.
    /// Returns the payload; the caller writes all its bytes at once, also unused ones. `detour`: cycles that this
    /// packet takes longer on the way, for a port with allow_detours.
    std::byte* push(unsigned destination, Cycle ready, MessageType type, std::size_t payload_bytes, Cycle detour = 0);
    /// The same for a payload that is a P and the `extra_bytes` bytes that follow it.
    template <class P>
    P& push(unsigned destination, Cycle ready, std::size_t extra_bytes = 0, Cycle detour = 0) {
        return *reinterpret_cast<P*>(push(destination, ready, P::kType, sizeof(P) + extra_bytes, detour));
    }

    /// Takes the credits of a Credit message that came from `destination` in cycle `now`.
    void receive_credit(unsigned destination, std::uint32_t flits, Cycle now);

    /// Whether no packet is blocked in the queue; packets on their way to the receiver do not count.
    bool empty() const { return blocked_.empty(); }
    unsigned credits(unsigned destination) const { return credits_[destination]; }
    unsigned destinations() const { return static_cast<unsigned>(credits_.size()); }
    /// Credits that packets have used and that have not come back; negative if more came back than were used.
    std::int64_t spent_credits(unsigned destination) const {
        return std::int64_t{capacity_} - std::int64_t{credits_[destination]};
    }
    const InjectionCounters& counters() const { return counters_; }

    void fields(StateArchive& archive);

  private:
    Cycle waiting_flits(Cycle now) const { return blocked_flits_ + std::max<Cycle>(0, free_at_ - now); }
    std::byte* transmit(unsigned destination, Cycle ready, unsigned flits, MessageType type, std::size_t payload_bytes,
                        Cycle detour);
    std::byte* store(unsigned destination, Cycle ready, unsigned flits, MessageType type, std::size_t payload_bytes,
                     Cycle detour);

    friend struct AuditSabotage;

    /// Credits used by packets to all destinations.
    std::int64_t under_way() const { return std::int64_t{capacity_} * destinations() - unspent_; }
    bool may_send(unsigned destination, unsigned flits) const {
        return credits_[destination] >= flits && (sender_flits_ == 0 || under_way() + flits <= sender_flits_);
    }

    FlitCounter flits_of_;
    std::uint32_t capacity_;  ///< credits of a path at the start
    Cycle latency_;
    Cycle queue_flits_;
    ClockDomain clock_;
    OutPort& out_;

    Cycle free_at_ = 0;        ///< first cycle in which no flit of a sent packet leaves
    Cycle blocked_since_ = 0;  ///< the head of blocked_ waits for credits since then
    Cycle blocked_flits_ = 0;
    std::vector<std::uint32_t> credits_;
    std::int64_t sender_flits_;
    std::int64_t unspent_ = 0;  ///< sum of credits_
    PacketRing blocked_;  ///< a stored head: `time` is the ready cycle, `destination` the port's, `in_port` the detour
    std::vector<Cycle> arrivals_;  ///< with allow_detours: arrival of the last packet to each destination
    InjectionCounters counters_;
};

}  // namespace lookahead::gpu
