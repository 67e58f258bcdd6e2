#pragma once

#include <algorithm>
#include <string>

#include "components/interconnect/crossbar/ejection_port.h"
#include "components/interconnect/crossbar/injection_port.h"
#include "core/lp/logical_process.h"
#include "core/time/clock_domain.h"

/// Processes that replace the ends of paths between SMs and memory partitions.
namespace lookahead::gpu::test {

inline ClockDomain player_clock() {
    return ClockDomain(700'000'000);
}

/// The common part of both kinds of players: they work in cycles of their choice and when messages come.
class Player : public LogicalProcess {
  public:
    explicit Player(const ClockDomain& clock = player_clock()) : clock_(clock) {}

    void advance(Inbox inbox, Time horizon) override {
        auto message = inbox.begin();
        while (true) {
            const Time arrival = message == inbox.end() ? kTimeInfinity : (*message)->time;
            if (std::min(arrival, next_event_time()) >= horizon) { return; }
            if (arrival <= next_event_time()) {
                const Cycle now = clock_.cycle_at_or_after(arrival);
                receive(**message, now);
                next_ = std::min(next_, now);
                ++message;
            } else {
                next_ = cycle(next_);
            }
        }
    }
    Time next_event_time() const override { return next_ == kCycleInfinity ? kTimeInfinity : clock_.edge(next_); }
    std::string waiting_for() const override { return "messages"; }
    void fields(StateArchive&) override {}

    unsigned out_of_order = 0;

  protected:
    virtual void receive(const MessageHeader& message, Cycle now) = 0;
    /// Returns the next cycle with work; kCycleInfinity: not without a message.
    virtual Cycle cycle(Cycle now) = 0;

    const ClockDomain clock_;
    Cycle next_ = kCycleInfinity;
};

/// Sends requests to slices and receives their replies.
class Requester : public Player {
  public:
    InjectionPort requests;
    EjectionPort replies;

  protected:
    Requester(const CrossbarParameters& ports, unsigned slices, const ClockDomain& clock = player_clock(),
              bool credits_apart = false)
        : Player(clock),
          requests(ports, ports.request_latency, clock_, add_out_port("requests"), slices),
          replies(ports, ports.request_latency, clock_, credits_apart ? add_out_port("credits") : out_port(0), slices) {
    }

    /// The next cycle in which a reply may come or, if there is `more` to send, a request can be sent.
    Cycle next_chance(bool more, Cycle now) const {
        const Cycle reply = replies.next_event(now);
        return more ? std::min(reply, requests.can_accept(now) ? now + 1 : requests.next_acceptance(now)) : reply;
    }

  private:
    void receive(const MessageHeader& message, Cycle now) override {
        if (message.type == Credit::kType) {
            requests.receive_credit(message.in_port, message.as<Credit>().flits, now);
        } else {
            replies.receive(message, message.in_port, now);
        }
    }
};

}  // namespace lookahead::gpu::test
