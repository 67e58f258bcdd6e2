#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "components/interconnect/crossbar/injection_port.h"
#include "components/protocols/memory.h"
#include "core/lp/logical_process.h"
#include "core/lp/lp_binding.h"
#include "core/lp/model.h"
#include "core/time/clock_domain.h"

/// An out-port that lets a test inspect its messages.
namespace lookahead::gpu::test {

/// A write of a whole line: a packet of four flits.
inline void push_line(InjectionPort& port, unsigned destination, Cycle now) {
    auto& request = port.push<WriteRequest>(destination, now, kLineBytes);
    request = {.line = 128, .mask = {}, .tag = 7, .words = kLineWords};
    std::memset(static_cast<void*>(&request + 1), 0, kLineBytes);
}

class PortBench {
  public:
    struct Sent {
        unsigned destination;
        Cycle arrival;
        MessageType type;
        std::vector<std::uint64_t> message;
        const MessageHeader& header() const { return *reinterpret_cast<const MessageHeader*>(message.data()); }
    };

    PortBench(unsigned destinations, Cycle latency) {
        model_.add({.name = "sender", .kind = "test"}, [] { return std::make_unique<Owner>(); });
        std::vector<ChannelDescription> channels;
        for (unsigned i = 0; i < destinations; ++i) {
            model_.add({.name = "receiver", .kind = "test"}, {});
            model_.connect(0, 0, 1 + i, static_cast<std::uint16_t>(i), clock.least_span(latency));
        }
        std::vector<std::uint32_t> places;
        for (unsigned i = 0; i <= destinations; ++i) { places.push_back(i); }
        router_ = std::make_unique<MessageRouter>(places, places.size(), 1);
        owner_ = model_.make(0);
        LpBinding::bind(*owner_, 0, model_.processes()[0], model_.channels(), 0, *router_);
    }

    OutPort& port() { return owner_->out_port(0); }

    /// The messages sent since the last call, by destination and then in order.
    std::vector<Sent> sent() {
        std::vector<Sent> all;
        for (unsigned i = 1; i < router_->inboxes().size(); ++i) {
            ByteBuffer& bytes = router_->inboxes()[i].arrived;
            for (std::size_t at = 0; at < bytes.size();) {
                const auto& message = *reinterpret_cast<const MessageHeader*>(bytes.data() + at);
                const auto* words = reinterpret_cast<const std::uint64_t*>(bytes.data() + at);
                const Cycle arrival = clock.cycle_at_or_after(message.time);
                all.push_back({i - 1, arrival, message.type, {words, words + message.total_bytes() / 8}});
                at += message.total_bytes();
            }
            bytes.clear();
        }
        return all;
    }

    const ClockDomain clock{700'000'000};

  private:
    struct Owner final : LogicalProcess {
        Owner() { add_out_port("out"); }
        void advance(Inbox, Time) override {}
        Time next_event_time() const override { return kTimeInfinity; }
        bool finished() const override { return true; }
        std::string waiting_for() const override { return "nothing"; }
        void fields(StateArchive&) override {}
    };

    Model model_;
    std::unique_ptr<MessageRouter> router_;
    std::unique_ptr<LogicalProcess> owner_;
};

}  // namespace lookahead::gpu::test
