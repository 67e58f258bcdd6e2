#include "components/interconnect/crossbar/ejection_port.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "tests/components/interconnect/port_bench.h"

namespace lookahead::gpu {
namespace {

constexpr Cycle kLatency = 10;

CrossbarParameters with_batch(std::int64_t batch) {
    CrossbarParameters parameters;
    parameters.credit_batch = batch;
    return parameters;
}

struct Receiver {
    explicit Receiver(unsigned sources, std::int64_t batch = 1)
        : bench(sources, kLatency), port(with_batch(batch), kLatency, bench.clock, bench.port(), sources) {}

    void arrive_read(unsigned source, Cycle now, std::uint32_t tag = 0) {
        std::uint64_t words[5] = {};
        auto& head = *reinterpret_cast<MessageHeader*>(words);
        head.type = ReadRequest::kType;
        head.payload_words = 2;
        reinterpret_cast<ReadRequest*>(&head + 1)->tag = tag;
        port.receive(head, source, now);
    }
    void arrive_reply(unsigned source, Cycle now, std::uint32_t tag = 0) {
        std::uint64_t words[3 + (sizeof(ReadReply) + kLineBytes) / 8] = {};
        auto& head = *reinterpret_cast<MessageHeader*>(words);
        head.type = ReadReply::kType;
        head.payload_words = (sizeof(ReadReply) + kLineBytes) / 8;
        reinterpret_cast<ReadReply*>(&head + 1)->tag = tag;
        port.receive(head, source, now);
    }
    /// Pops as soon as possible from `now` on: cycle and source of each.
    std::vector<std::pair<Cycle, unsigned>> drain(Cycle now) {
        std::vector<std::pair<Cycle, unsigned>> taken;
        while (true) {
            if (port.front(now) != nullptr) {
                taken.emplace_back(now, port.front_source());
                port.pop(now);
            }
            if (port.empty()) {
                return taken;
            }
            now = port.next_event(now);
        }
    }
    using Taken = std::vector<std::pair<Cycle, unsigned>>;

    test::PortBench bench;
    EjectionPort port;
};

TEST_CASE("a packet passes an idle port in the cycle in which its tail arrives") {
    Receiver receiver(3);
    receiver.arrive_reply(2, 100);
    CHECK(receiver.port.front(99) == nullptr);
    REQUIRE(receiver.port.front(100) != nullptr);
    CHECK(receiver.port.front_source() == 2);
    CHECK(receiver.port.front(100)->type == ReadReply::kType);
}

TEST_CASE("a port takes one flit a cycle") {
    Receiver receiver(3);
    receiver.arrive_reply(0, 100);
    receiver.arrive_reply(1, 100);
    receiver.arrive_read(2, 100);
    CHECK(receiver.drain(100) == Receiver::Taken{{100, 0}, {104, 1}, {105, 2}});
}

TEST_CASE("an owner that looks in every other cycle loses none of the port's, and its credits leave when it looks") {
    // Replies of four flits and a read of one: the port has them in cycles 100, 104, 105 and 109.
    Receiver receiver(4);
    receiver.arrive_reply(0, 100);
    receiver.arrive_reply(1, 100);
    receiver.arrive_read(2, 100);
    receiver.arrive_reply(3, 100);
    Receiver::Taken taken;
    for (Cycle now = 100; now < 120; now += 2) {
        while (receiver.port.front(now) != nullptr) {
            taken.emplace_back(now, receiver.port.front_source());
            receiver.port.pop_late(now);
        }
    }
    CHECK(taken == Receiver::Taken{{100, 0}, {104, 1}, {106, 2}, {110, 3}});
    std::vector<Cycle> credits;
    for (const auto& sent : receiver.bench.sent()) {
        credits.push_back(sent.arrival - kLatency);
    }
    CHECK(credits == std::vector<Cycle>{100, 104, 106, 110});
}

TEST_CASE("after a late look a packet still waits for no flit from before its arrival") {
    Receiver receiver(2);
    receiver.arrive_read(0, 100);
    receiver.arrive_reply(1, 107);
    REQUIRE(receiver.port.front(108) != nullptr);
    receiver.port.pop_late(108);
    CHECK(receiver.port.front(106) == nullptr);
    CHECK(receiver.port.front(107) != nullptr);
}

TEST_CASE("a packet behind a busy port waits for what is left of it alone") {
    Receiver receiver(2);
    receiver.arrive_read(0, 100);
    CHECK(receiver.drain(100).size() == 1);
    receiver.arrive_reply(1, 102);  // its first flit could come in cycle 99, but the port was busy in 100
    CHECK(receiver.drain(102) == Receiver::Taken{{104, 1}});
}

TEST_CASE("sources take turns, packet by packet") {
    Receiver receiver(4);
    for (int i = 0; i < 3; ++i) {
        receiver.arrive_read(0, 100);
        receiver.arrive_read(1, 100);
        receiver.arrive_read(3, 100);
    }
    CHECK(receiver.drain(100) ==
          Receiver::Taken{{100, 0}, {101, 1}, {102, 3}, {103, 0}, {104, 1}, {105, 3}, {106, 0}, {107, 1}, {108, 3}});
}

TEST_CASE("turns go round with more sources than a word has bits") {
    Receiver receiver(130);
    for (const unsigned source : {127u, 63u, 64u, 0u, 129u, 128u}) {
        receiver.arrive_read(source, 100);
    }
    CHECK(receiver.drain(100) == Receiver::Taken{{100, 127}, {101, 128}, {102, 129}, {103, 0}, {104, 63}, {105, 64}});
}

TEST_CASE("packets of one source stay in order") {
    Receiver receiver(2);
    for (std::uint32_t tag = 0; tag < 5; ++tag) {
        receiver.arrive_read(1, 100, tag);
    }
    for (std::uint32_t tag = 0; tag < 5; ++tag) {
        CHECK(receiver.port.front(100 + tag)->as<ReadRequest>().tag == tag);
        receiver.port.pop(100 + tag);
    }
}

TEST_CASE("a packet that its owner leaves keeps the port from taking others") {
    Receiver receiver(2);
    receiver.arrive_read(0, 100);
    receiver.arrive_reply(1, 100);
    receiver.port.pop(150);
    CHECK(receiver.port.front(153) == nullptr);
    CHECK(receiver.port.front(154) != nullptr);
}

TEST_CASE("credits go back in batches, to whom they belong, after the latency") {
    Receiver receiver(2, 5);
    receiver.arrive_reply(1, 100);
    receiver.arrive_reply(0, 100);
    receiver.arrive_reply(1, 100);
    receiver.port.pop(100);
    receiver.port.pop(104);
    CHECK(receiver.bench.sent().empty());
    CHECK(receiver.port.withheld_credits(0) == 4);
    receiver.port.pop(108);
    const auto sent = receiver.bench.sent();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].destination == 1);
    CHECK(sent[0].arrival == 108 + kLatency);
    CHECK(sent[0].header().as<Credit>().flits == 8);
    CHECK(receiver.port.withheld_credits(1) == 0);
}

}  // namespace
}  // namespace lookahead::gpu
