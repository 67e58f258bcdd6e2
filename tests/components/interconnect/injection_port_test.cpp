
#include <doctest/doctest.h>

#include "tests/components/interconnect/port_bench.h"
#include "tests/support/with.h"

namespace lookahead::gpu {
namespace {

using lookahead::test::with;

constexpr Cycle kLatency = 10;

CrossbarParameters small() {
    return {.request_latency = kLatency,
            .reply_latency = 1,
            .input_entries = 1,
            .injection_flits = 8,
            .credit_batch = 1};  // 7 + 11 + 1 = 19 credits
}

struct Sender {
    explicit Sender(const CrossbarParameters& parameters = small())
        : bench(2, kLatency), port(parameters, kLatency, bench.clock, bench.port(), 2) {}

    void read(unsigned destination, Cycle now, std::uint32_t tag = 0) {
        port.push<ReadRequest>(destination, now) = {.line = 128, .tag = tag, .client = Client::demand};
    }
    void write(unsigned destination, Cycle now) { test::push_line(port, destination, now); }

    test::PortBench bench;
    InjectionPort port;
};

TEST_CASE("a packet of one flit arrives after the latency") {
    Sender sender;
    sender.read(1, 100);
    const auto sent = sender.bench.sent();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].destination == 1);
    CHECK(sent[0].arrival == 100 + kLatency);
    CHECK(sent[0].type == ReadRequest::kType);
    CHECK(sent[0].header().as<ReadRequest>().line == 128);
}

TEST_CASE("a packet arrives with its tail, and the next leaves behind it") {
    Sender sender;
    sender.write(0, 100);
    sender.read(0, 100);
    sender.read(1, 101);
    const auto sent = sender.bench.sent();
    REQUIRE(sent.size() == 3);
    CHECK(sent[0].arrival == 103 + kLatency);
    CHECK(sent[1].arrival == 104 + kLatency);
    CHECK(sent[2].arrival == 105 + kLatency);
}

TEST_CASE("the port takes packets as long as fewer flits wait than the queue has room for") {
    Sender sender;
    sender.write(0, 100);
    CHECK(sender.port.can_accept(100));  // four flits
    sender.write(1, 100);
    CHECK_FALSE(sender.port.can_accept(100));  // eight
    CHECK(sender.port.next_acceptance(100) == 101);
    CHECK(sender.port.can_accept(101));
    sender.write(1, 101);
    CHECK_FALSE(sender.port.can_accept(101));  // eleven
    CHECK(sender.port.next_acceptance(101) == 105);
    CHECK_FALSE(sender.port.can_accept(104));
    CHECK(sender.port.can_accept(105));
}

TEST_CASE("a packet without credits holds up all behind it until its credits come") {
    Sender sender;
    for (int i = 0; i < 4; ++i) { sender.write(0, 100 + 4 * i); }
    CHECK(sender.port.credits(0) == 19 - 16);
    CHECK(sender.bench.sent().size() == 4);
    sender.write(0, 200);
    sender.read(1, 200, 42);
    CHECK(sender.bench.sent().empty());
    CHECK_FALSE(sender.port.empty());
    sender.port.receive_credit(1, 5, 210);
    CHECK(sender.bench.sent().empty());
    sender.port.receive_credit(0, 1, 220);
    const auto sent = sender.bench.sent();
    REQUIRE(sent.size() == 2);
    CHECK(sent[0].arrival == 223 + kLatency);
    CHECK(sent[0].header().as<WriteRequest>().tag == 7);
    CHECK(sent[1].destination == 1);
    CHECK(sent[1].arrival == 224 + kLatency);
    CHECK(sent[1].header().as<ReadRequest>().tag == 42);
    CHECK(sender.port.empty());
    CHECK(sender.port.credits(0) == 0);
    CHECK(sender.port.counters().blocked_packets == 2);
    CHECK(sender.port.counters().blocked_cycles == 20);
}

TEST_CASE("a queue full of blocked packets accepts nothing until credits come") {
    Sender sender;
    for (int i = 0; i < 6; ++i) {
        sender.write(0, 100 + 4 * i);  // the last two are blocked
    }
    CHECK_FALSE(sender.port.can_accept(500));
    CHECK(sender.port.next_acceptance(500) == kCycleInfinity);
    sender.port.receive_credit(0, 16, 600);
    CHECK(sender.port.next_acceptance(600) == 601);
}

TEST_CASE("a sender has no more flits under way to all receivers together than sender_flits") {
    Sender sender(with(small(), &CrossbarParameters::sender_flits, 8));
    for (const unsigned destination : {0u, 1u, 1u}) { sender.write(destination, 100); }
    CHECK(sender.bench.sent().size() == 2);  // eight flits; the credits would allow more
    CHECK_FALSE(sender.port.empty());
    sender.port.receive_credit(0, 3, 200);
    CHECK(sender.bench.sent().empty());
    sender.port.receive_credit(0, 1, 210);
    CHECK(sender.bench.sent().size() == 1);
    CHECK(sender.port.empty());
}

TEST_CASE("sender_flits that receivers could hold back for good are refused") {
    CrossbarParameters parameters = with(small(), &CrossbarParameters::credit_batch, 5);
    const unsigned largest = FlitCounter(parameters.flit_bytes)(kLargestPacketBytes);
    parameters.sender_flits = 2 * 4 + largest;
    CHECK_NOTHROW(Sender{parameters});
    --parameters.sender_flits;
    CHECK_THROWS_AS(Sender{parameters}, ConfigurationError);
}

}  // namespace
}  // namespace lookahead::gpu
