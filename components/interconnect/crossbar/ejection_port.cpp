#include "components/interconnect/crossbar/ejection_port.h"

#include <bit>

#include "core/stats/statistics_registry.h"

namespace lookahead::gpu {

EjectionPort::EjectionPort(const CrossbarParameters& parameters, Cycle credit_latency, const ClockDomain& clock,
                           OutPort& credits, unsigned sources)
    : flits_of_(parameters.flit_bytes, parameters.atomic_lane_bytes),
      credit_latency_(credit_latency),
      credit_batch_(static_cast<std::uint32_t>(parameters.credit_batch)),
      clock_(clock),
      credits_(credits),
      waiting_((sources + 63) / 64, 0),
      withheld_(sources, 0),
      last_source_(sources - 1) {
    const std::size_t flit = flits_of_.message_bytes_bound();
    queues_.reserve(sources);
    for (unsigned i = 0; i < sources; ++i) {
        queues_.emplace_back(credits_per_path(parameters) * flit, sizeof(MessageHeader) + kMaximumPayloadBytes);
    }
}

[[gnu::hot]] void EjectionPort::receive(const MessageHeader& message, unsigned source, Cycle now) {
    queues_[source].push_copy(message).time = now;
    waiting_[source / 64] |= std::uint64_t{1} << (source % 64);
    if (chosen_ == kNone) { choose(source, now); }
}

[[gnu::hot]] void EjectionPort::choose(unsigned source, Cycle now) {
    chosen_ = source;
    chosen_flits_ = flits_of_.of(queues_[source].front());
    complete_at_ = std::max(now, last_flit_ + static_cast<Cycle>(chosen_flits_));
}

[[gnu::hot]] void EjectionPort::pop(Cycle taken, Cycle now) {
    PacketRing& queue = queues_[chosen_];
    ++counters_.packets;
    counters_.flits += chosen_flits_;
    counters_.wait_cycles += static_cast<std::uint64_t>(taken - queue.front().time);
    const std::uint64_t row = held_ != nullptr ? held_->rows.row_of(queue.front()) : 0;
    queue.pop();
    if (queue.empty()) { waiting_[chosen_ / 64] &= ~(std::uint64_t{1} << (chosen_ % 64)); }
    withheld_[chosen_] += chosen_flits_;
    if (withheld_[chosen_] >= credit_batch_) {
        credits_.send(chosen_, clock_.edge(now), clock_.edge(now + credit_latency_),
                      Credit{.flits = withheld_[chosen_], .unused = 0});
        withheld_[chosen_] = 0;
        ++counters_.credit_messages;
    }
    last_flit_ = taken;
    unsigned next = kNone;
    if (held_ == nullptr) {
        last_source_ = chosen_;
    } else {
        last_source_ = held_->held ? last_source_ : chosen_;
        next = out_of_turn(row);
    }
    next = next == kNone ? next_source(last_source_) : next;
    chosen_ = kNone;
    if (next != kNone) { choose(next, std::max(taken, queues_[next].front().time)); }
}

/// The sender whose packet for the row goes out of turn, from the last chosen one on, cyclically; kNone if none.
unsigned EjectionPort::out_of_turn(std::uint64_t row) {
    const bool same = !queues_[chosen_].empty() && held_->rows.row_of(queues_[chosen_].front()) == row;
    unsigned match = same ? chosen_ : kNone;
    for (unsigned step = 1, source = chosen_; match == kNone && step < queues_.size(); ++step) {
        source = source + 1 == queues_.size() ? 0 : source + 1;
        match = !queues_[source].empty() && held_->rows.row_of(queues_[source].front()) == row ? source : kNone;
    }
    held_->held = match != kNone && held_->granted < held_->bound;
    if (!held_->held) {
        held_->counters.ended_by_bound += match != kNone;
        held_->granted = 0;
        return kNone;
    }
    ++held_->granted;
    ++(same ? held_->counters.same_sender : held_->counters.other_sender);
    return match;
}

[[gnu::hot]] unsigned EjectionPort::next_source(unsigned source) const {
    const unsigned start = source + 1 == queues_.size() ? 0 : source + 1;
    const std::size_t words = waiting_.size();
    std::size_t word = start / 64;
    std::uint64_t bits = waiting_[word] & (~std::uint64_t{0} << (start % 64));
    for (std::size_t step = 0; step <= words; ++step) {
        if (bits != 0) { return static_cast<unsigned>(word * 64) + static_cast<unsigned>(std::countr_zero(bits)); }
        word = word + 1 == words ? 0 : word + 1;
        bits = waiting_[word];
    }
    return kNone;
}

void EjectionPort::fields(StateArchive& archive) {
    for (PacketRing& queue : queues_) { archive& queue; }
    archive& waiting_& withheld_& chosen_& chosen_flits_& last_source_& complete_at_& last_flit_;
    archive& counters_;
    if (held_ != nullptr) { archive&* held_; }
}

LOOKAHEAD_REGISTER_STATISTICS(EjectionCounters, "ejection_port", "The receiving side of a crossbar port.")
LOOKAHEAD_REGISTER_STATISTICS(HeldGrantCounters, "held_grants", "Out-of-turn grants of a crossbar port.")

unsigned credits_per_path(const CrossbarParameters& parameters) {
    const FlitCounter flits(parameters.flit_bytes);
    const std::int64_t entries = parameters.input_entries * flits(kPacketHeaderBytes + kLineBytes);
    // The largest packet must fit beside the most credits that a batch holds back.
    const std::int64_t largest = flits(kLargestPacketBytes);
    const std::int64_t round_trip =
        parameters.request_latency + parameters.reply_latency + parameters.further_round_trip;
    return static_cast<unsigned>(std::max(entries, largest) + round_trip + parameters.credit_batch);
}

}  // namespace lookahead::gpu
