#include "components/interconnect/crossbar/injection_port.h"

#include <cstring>
#include <numeric>

#include "core/error/error.h"
#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {
namespace {

/// Bytes that the queue of blocked packets must hold: `injection_flits` flits; one more packet, which was accepted
/// while there was room for a flit; and further packets that an owner pushes after the same can_accept().
std::size_t blocked_bytes(const CrossbarParameters& parameters) {
    const auto flits = static_cast<std::size_t>(parameters.injection_flits);
    const FlitCounter counter(parameters.flit_bytes, parameters.atomic_lane_bytes);
    return flits * counter.message_bytes_bound() + 4 * kMaximumPayloadBytes;
}

}  // namespace

InjectionPort::InjectionPort(const CrossbarParameters& parameters, Cycle latency, const ClockDomain& clock,
                             OutPort& out, unsigned destinations)
    : flits_of_(parameters.flit_bytes, parameters.atomic_lane_bytes),
      capacity_(credits_per_path(parameters)),
      latency_(latency),
      queue_flits_(parameters.injection_flits),
      clock_(clock),
      out_(out),
      credits_(destinations, capacity_),
      sender_flits_(parameters.sender_flits),
      unspent_(std::int64_t{capacity_} * destinations),
      blocked_(blocked_bytes(parameters), sizeof(MessageHeader) + kMaximumPayloadBytes) {
    // Receivers may hold back this many credits, and the largest packet must fit beside them.
    const std::int64_t least =
        std::int64_t{destinations} * (parameters.credit_batch - 1) + flits_of_(kLargestPacketBytes);
    if (sender_flits_ != 0 && sender_flits_ < least) {
        throw ConfigurationError(
            "crossbar.sender_flits is {}; with {} receivers and crossbar.credit_batch = {} it must be 0, or at least "
            "{}",
            sender_flits_, destinations, parameters.credit_batch, least);
    }
}

Cycle InjectionPort::next_acceptance(Cycle now) const {
    if (blocked_flits_ >= queue_flits_) { return kCycleInfinity; }
    return std::max(now + 1, free_at_ + blocked_flits_ - queue_flits_ + 1);
}

[[gnu::hot]] std::byte* InjectionPort::push(unsigned destination, Cycle ready, MessageType type,
                                            std::size_t payload_bytes, Cycle detour) {
    const unsigned flits = flits_of_.of(type, payload_bytes);
    if (blocked_.empty() && may_send(destination, flits)) {
        return transmit(destination, ready, flits, type, payload_bytes, detour);
    }
    return store(destination, ready, flits, type, payload_bytes, detour);
}

[[gnu::hot]] std::byte* InjectionPort::transmit(unsigned destination, Cycle ready, unsigned flits, MessageType type,
                                                std::size_t payload_bytes, Cycle detour) {
    const Cycle start = std::max(ready, free_at_);
    free_at_ = start + flits;
    credits_[destination] -= flits;
    unspent_ -= flits;
    ++counters_.packets;
    counters_.flits += flits;
    counters_.wait_cycles += static_cast<std::uint64_t>(start - ready);
    Cycle arrival = free_at_ - 1 + latency_;
    if (!arrivals_.empty()) { arrival = arrivals_[destination] = std::max(arrival + detour, arrivals_[destination]); }
    return out_.reserve(destination, clock_.edge(start), clock_.edge(arrival), type, payload_bytes);
}

std::byte* InjectionPort::store(unsigned destination, Cycle ready, unsigned flits, MessageType type,
                                std::size_t payload_bytes, Cycle detour) {
    if (blocked_.empty()) { blocked_since_ = std::max(ready, free_at_); }
    ++counters_.blocked_packets;
    blocked_flits_ += flits;
    MessageHeader& head = blocked_.push({.time = ready,
                                         .channel = 0,
                                         .sequence = flits,
                                         .destination = destination,
                                         .in_port = static_cast<std::uint16_t>(detour),
                                         .type = type,
                                         .payload_words = static_cast<std::uint8_t>((payload_bytes + 7) / 8)});
    auto* payload = reinterpret_cast<std::byte*>(&head + 1);
    if (head.payload_words > 0) {
        std::memset(payload + (head.payload_words - 1) * 8, 0, 8);  // the padding is hashed
    }
    return payload;
}

void InjectionPort::receive_credit(unsigned destination, std::uint32_t flits, Cycle now) {
    credits_[destination] += flits;
    unspent_ += flits;
    while (!blocked_.empty()) {
        const MessageHeader& head = blocked_.front();
        const unsigned size = head.sequence;
        if (!may_send(head.destination, size)) { break; }
        // Credits that return before the port is free have cost nothing.
        counters_.blocked_cycles += static_cast<std::uint64_t>(std::max<Cycle>(0, now - blocked_since_));
        counters_.wait_cycles += static_cast<std::uint64_t>(std::max<Cycle>(0, now - head.time));
        std::byte* payload =
            transmit(head.destination, std::max(head.time, now), size, head.type, head.payload_bytes(), head.in_port);
        std::memcpy(payload, head.payload(), head.payload_bytes());
        blocked_flits_ -= size;
        blocked_.pop();
        blocked_since_ = free_at_;
    }
}

void InjectionPort::fields(StateArchive& archive) {
    archive& free_at_& blocked_since_& blocked_flits_& credits_;
    archive& blocked_;
    archive& counters_;
    if (!arrivals_.empty()) { archive& arrivals_; }
    if (archive.loading()) { unspent_ = std::accumulate(credits_.begin(), credits_.end(), std::int64_t{0}); }
}

LOOKAHEAD_REGISTER_STATISTICS(InjectionCounters, "injection_port", "The sending side of a crossbar port.")

}  // namespace lookahead::gpu
