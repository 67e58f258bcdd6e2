// Both ends of crossbar paths together.
#include <doctest/doctest.h>

#include <algorithm>

#include "components/interconnect/crossbar/ejection_port.h"
#include "tests/components/interconnect/port_bench.h"

namespace lookahead::gpu {
namespace {

/// `count` senders and as many receivers, fully connected.
class Crossbar {
  public:
    /// `more_latency`: of requests, in addition to the latency for which credits are sized.
    Crossbar(const CrossbarParameters& parameters, unsigned count, Cycle more_latency = 0) : count_(count) {
        const Cycle latency = parameters.request_latency + more_latency;
        for (unsigned i = 0; i < count; ++i) {
            forward_.push_back(std::make_unique<test::PortBench>(count, latency));
            back_.push_back(std::make_unique<test::PortBench>(count, parameters.reply_latency));
            senders.push_back(
                std::make_unique<InjectionPort>(parameters, latency, forward_[i]->clock, forward_[i]->port(), count));
            receivers.push_back(std::make_unique<EjectionPort>(parameters, parameters.reply_latency, back_[i]->clock,
                                                               back_[i]->port(), count));
        }
    }

    /// Sends a write of a line if the sender accepts it.
    void send(unsigned from, unsigned to, Cycle now) {
        if (senders[from]->can_accept(now)) { test::push_line(*senders[from], to, now); }
    }

    /// Delivers the messages that arrive in cycle `now`, then lets every receiver take as many as it can.
    void cycle(Cycle now) {
        for (unsigned i = 0; i < count_; ++i) {
            keep(*forward_[i], i, false);
            keep(*back_[i], i, true);
        }
        const auto due =
            std::stable_partition(flying_.begin(), flying_.end(), [&](const Flying& f) { return f.arrival > now; });
        for (auto at = due; at != flying_.end(); ++at) {
            if (at->credit) {
                senders[at->to]->receive_credit(at->from, at->message().as<Credit>().flits, now);
            } else {
                receivers[at->to]->receive(at->message(), at->from, now);
            }
        }
        flying_.erase(due, flying_.end());
        for (unsigned i = 0; i < count_; ++i) {
            if (receivers[i]->front(now) != nullptr) { receivers[i]->pop(now); }
        }
    }

    std::vector<std::unique_ptr<InjectionPort>> senders;
    std::vector<std::unique_ptr<EjectionPort>> receivers;

  private:
    struct Flying {
        unsigned from;
        unsigned to;
        Cycle arrival;
        bool credit;
        std::vector<std::uint64_t> words;
        const MessageHeader& message() const { return *reinterpret_cast<const MessageHeader*>(words.data()); }
    };

    void keep(test::PortBench& bench, unsigned from, bool credit) {
        for (auto& sent : bench.sent()) {
            flying_.push_back({from, sent.destination, sent.arrival, credit, std::move(sent.message)});
        }
    }

    unsigned count_;
    std::vector<std::unique_ptr<test::PortBench>> forward_;
    std::vector<std::unique_ptr<test::PortBench>> back_;
    std::vector<Flying> flying_;
};

TEST_CASE("one flit a cycle goes through every port for 10 000 cycles") {
    // Each sender uses only one receiver, so one path's credits must cover the whole round trip.
    for (const Cycle latency : {1, 64, 200}) {
        for (const std::int64_t batch : {1, 16, 100}) {
            CAPTURE(latency);
            CAPTURE(batch);
            constexpr unsigned kPorts = 3;
            Crossbar crossbar({.request_latency = latency, .reply_latency = latency + 3, .credit_batch = batch},
                              kPorts);
            constexpr Cycle kCycles = 10000;
            const Cycle warm = 4 + latency;
            std::uint64_t before = 0;
            for (Cycle now = 0; now < warm + kCycles; ++now) {
                if (now == warm) { before = crossbar.receivers[1]->counters().flits; }
                for (unsigned i = 0; i < kPorts; ++i) { crossbar.send(i, (i + 1) % kPorts, now); }
                crossbar.cycle(now);
            }
            for (unsigned i = 0; i < kPorts; ++i) { CHECK(crossbar.senders[i]->counters().blocked_cycles == 0); }
            CHECK(crossbar.receivers[1]->counters().flits - before == kCycles);
        }
    }
}

TEST_CASE("credits that were sized for a shorter round trip do not keep a port busy") {
    const CrossbarParameters parameters{.credit_batch = 1};
    const Cycle slack = credits_per_path(parameters) - parameters.request_latency - parameters.reply_latency;
    for (const Cycle more : {Cycle{0}, slack + 1}) {
        CAPTURE(more);
        Crossbar crossbar(parameters, 1, more);
        for (Cycle now = 0; now < 10000; ++now) {
            crossbar.send(0, 0, now);
            crossbar.cycle(now);
        }
        CHECK((crossbar.senders[0]->counters().blocked_cycles == 0) == (more == 0));
    }
}

TEST_CASE("two senders to one receiver are held up by credits and share it evenly") {
    Crossbar crossbar({.input_entries = 1, .credit_batch = 1}, 2);
    for (Cycle now = 0; now < 5000; ++now) {
        for (unsigned i = 0; i < 2; ++i) { crossbar.send(i, 0, now); }
        crossbar.cycle(now);
    }
    CHECK(crossbar.receivers[0]->counters().flits > 4800);
    CHECK(crossbar.receivers[0]->counters().flits <= 5000);
    CHECK(crossbar.senders[0]->counters().blocked_cycles > 1000);
    CHECK(crossbar.senders[1]->counters().blocked_cycles > 1000);
    const auto a = crossbar.senders[0]->counters().packets;
    const auto b = crossbar.senders[1]->counters().packets;
    CHECK(std::max(a, b) - std::min(a, b) <= 1);
}

}  // namespace
}  // namespace lookahead::gpu
