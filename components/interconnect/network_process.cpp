#include "components/interconnect/network_process.h"

#include <cstring>

#include <fmt/format.h>

namespace lookahead::gpu {

NetworkProcess::NetworkProcess(const Ends& ends)
    : ends_(ends),
      clock_(ends.frequency),
      flits_of_(ends.flit_bytes, ends.atomic_lane_bytes),
      out_(add_out_port("out")) {}

void NetworkProcess::advance(Inbox inbox, Time horizon) {
    auto message = inbox.begin();
    while (true) {
        const Time arrival = message == inbox.end() ? kTimeInfinity : (*message)->time;
        const Time next = next_event_time();
        if (std::min(arrival, next) >= horizon) { return; }
        if (arrival > next) {
            cycle(next_cycle_);
            continue;
        }
        const Cycle now = clock_.cycle_at_or_after(arrival);
        if ((*message)->type == Credit::kType) {
            pass_by(**message, now);
        } else {
            receive(**message, now);
        }
        ++message;
    }
}

void NetworkProcess::pass_by(const MessageHeader& credit, Cycle now) {
    const Cycle arrival = now + way_of_credit(credit.in_port) + ends_.delivery_latency;
    out_.send(credit.in_port, clock_.edge(now), clock_.edge(arrival), credit.as<Credit>());
    count_credit();
}

void NetworkProcess::deliver(const MessageHeader& message, Cycle now) {
    std::byte* place = out_.reserve(message.in_port, clock_.edge(now), clock_.edge(now + ends_.delivery_latency),
                                    message.type, message.payload_bytes());
    std::memcpy(place, message.payload(), message.payload_bytes());
}

std::string NetworkProcess::waiting_for() const {
    const std::size_t waiting = packets();
    return waiting == 0 ? "nothing" : fmt::format("{} packets under way", waiting);
}

}  // namespace lookahead::gpu
