#include "components/interconnect/crossbar/ejection_port.h"

#include <doctest/doctest.h>

#include <array>
#include <deque>

#include "core/state/archives.h"
#include "tests/components/interconnect/port_bench.h"
#include "tests/support/seed.h"

namespace lookahead::gpu::ejection_port_tests {
namespace {

constexpr Cycle kLatency = 10;

struct Receiver {
    explicit Receiver(unsigned sources, std::int64_t batch = 1)
        : bench(sources, kLatency), port({.credit_batch = batch}, kLatency, bench.clock, bench.port(), sources) {}

    template <class P>
    void arrive(unsigned source, Cycle now, std::uint32_t tag, std::size_t more_bytes) {
        std::uint64_t words[3 + (sizeof(P) + kLineBytes) / 8] = {};
        auto& head = *reinterpret_cast<MessageHeader*>(words);
        head.type = P::kType;
        head.payload_words = static_cast<std::uint8_t>((sizeof(P) + more_bytes) / 8);
        reinterpret_cast<P*>(&head + 1)->tag = tag;
        port.receive(head, source, now);
    }
    void arrive_read(unsigned source, Cycle now, std::uint32_t tag = 0) { arrive<ReadRequest>(source, now, tag, 0); }
    void arrive_reply(unsigned source, Cycle now) { arrive<ReadReply>(source, now, 0, kLineBytes); }
    /// Pops packets as soon as possible from `now` on; returns each one's cycle and source.
    std::vector<std::pair<Cycle, unsigned>> drain(Cycle now) {
        std::vector<std::pair<Cycle, unsigned>> taken;
        while (true) {
            if (port.front(now) != nullptr) {
                taken.emplace_back(now, port.front_source());
                port.pop(now);
            }
            if (port.empty()) { return taken; }
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
    // Replies of four flits and a read of one: the port takes them in cycles 100, 104, 105 and 109.
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
    for (const auto& sent : receiver.bench.sent()) { credits.push_back(sent.arrival - kLatency); }
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
    for (const unsigned source : {127u, 63u, 64u, 0u, 129u, 128u}) { receiver.arrive_read(source, 100); }
    CHECK(receiver.drain(100) == Receiver::Taken{{100, 127}, {101, 128}, {102, 129}, {103, 0}, {104, 63}, {105, 64}});
}

TEST_CASE("packets of one source stay in order") {
    Receiver receiver(2);
    for (std::uint32_t tag = 0; tag < 5; ++tag) { receiver.arrive_read(1, 100, tag); }
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

/// The row of a read is its tag.
struct TagIsRow final : PacketRow {
    std::uint64_t row_of(const MessageHeader& packet) const override { return packet.as<ReadRequest>().tag; }
};

/// Reads of one flit, each with a row, that wait in cycle 100; the first one has the port.
struct Rows {
    Rows(unsigned sources, unsigned bound) : receiver(sources) { receiver.port.hold_grants(rows, bound); }
    void arrive(unsigned source, std::initializer_list<std::uint32_t> of_rows) {
        for (const std::uint32_t row : of_rows) { receiver.arrive_read(source, 100, row); }
    }
    std::vector<unsigned> order() {
        std::vector<unsigned> order;
        for (const auto& [cycle, source] : receiver.drain(100)) { order.push_back(source); }
        return order;
    }
    const HeldGrantCounters& counters() const { return receiver.port.held_grants()->counters; }

    TagIsRow rows;
    Receiver receiver;
};

TEST_CASE("without held grants a port goes round whatever the rows") {
    Receiver receiver(3);
    for (const unsigned source : {0u, 0u, 0u, 1u, 2u}) { receiver.arrive_read(source, 100, 7); }
    CHECK(receiver.drain(100) == Receiver::Taken{{100, 0}, {101, 1}, {102, 2}, {103, 0}, {104, 0}});
    CHECK(receiver.port.held_grants() == nullptr);
}

TEST_CASE("a held grant stays with its sender as long as that has packets for the row at its queue's head") {
    Rows rows(3, 8);
    rows.arrive(0, {7, 7, 7, 8, 7});
    rows.arrive(1, {9});
    rows.arrive(2, {5});
    CHECK(rows.order() == std::vector<unsigned>{0, 0, 0, 1, 2, 0, 0});
    CHECK(rows.counters().same_sender == 2);
    CHECK(rows.counters().other_sender == 0);
    CHECK(rows.counters().ended_by_bound == 0);
}

TEST_CASE("a grant goes on to other senders' packets for the row, and the turn is where it was") {
    Rows rows(4, 8);
    rows.arrive(0, {7, 6});
    rows.arrive(1, {9, 9});
    rows.arrive(2, {5});
    rows.arrive(3, {7});
    CHECK(rows.order() == std::vector<unsigned>{0, 3, 1, 1, 2, 0});
    CHECK(rows.counters().other_sender == 1);
    CHECK(rows.counters().same_sender == 1);
}

TEST_CASE("after so many packets out of turn the next sender has its own") {
    for (const unsigned bound : {1u, 2u, 3u, 4u}) {
        CAPTURE(bound);
        Rows rows(2, bound);
        rows.arrive(0, {7, 7, 7, 7, 7});
        rows.arrive(1, {9});
        const std::vector<unsigned> order = rows.order();
        const auto place = static_cast<std::size_t>(std::find(order.begin(), order.end(), 1u) - order.begin());
        CHECK(place == bound + 1);
        CHECK(rows.counters().ended_by_bound == (bound < 4 ? (bound == 1 ? 2u : 1u) : 0u));
    }
}

TEST_CASE("no packet waits for more than the bound allows, however the rows fall") {
    std::mt19937_64 random(lookahead::test::random_seed());
    constexpr unsigned kSources = 5, kBound = 3;
    Rows rows(kSources, kBound);
    std::array<std::deque<Cycle>, kSources> waiting;  // cycles in which each became the head, roughly: its arrival
    std::array<unsigned, kSources> passed{};          // other packets since this one's queue was last empty
    EjectionPort& port = rows.receiver.port;
    unsigned most = 0;
    for (Cycle now = 100; now < 20'100; ++now) {
        for (unsigned source = 0; source < kSources; ++source) {
            if (waiting[source].size() < 6 && random() % 3 == 0) {
                rows.receiver.arrive_read(source, now, static_cast<std::uint32_t>(random() % 2));
                waiting[source].push_back(now);
            }
        }
        if (port.front(now) != nullptr) {
            const unsigned taken = port.front_source();
            for (unsigned source = 0; source < kSources; ++source) {
                passed[source] = source == taken || waiting[source].empty() ? 0 : passed[source] + 1;
                most = std::max(most, passed[source]);
            }
            waiting[taken].pop_front();
            port.pop(now);
        }
    }
    CHECK(most <= kSources * (kBound + 1));
    CHECK(most > kSources);
    CHECK(rows.counters().ended_by_bound > 0);
}

TEST_CASE("held grants go on alike after a checkpoint") {
    const auto fill = [](Rows& rows) {
        rows.arrive(0, {7, 7, 7, 7, 7});
        rows.arrive(1, {7, 9});
        rows.arrive(2, {5, 9});
    };
    Rows whole(3, 3), half(3, 3), restored(3, 3);
    fill(whole);
    fill(half);
    for (Cycle now = 100; now < 103; ++now) {
        whole.receiver.port.pop(now);
        half.receiver.port.pop(now);
    }
    const std::string bytes = state_to_bytes([&](StateArchive& archive) { half.receiver.port.fields(archive); });
    state_from_bytes(bytes, "the port", [&](StateArchive& archive) { restored.receiver.port.fields(archive); });
    CHECK(whole.receiver.drain(103) == restored.receiver.drain(103));
    CHECK(whole.counters().ended_by_bound == restored.counters().ended_by_bound);
}

}  // namespace
}  // namespace lookahead::gpu::ejection_port_tests
