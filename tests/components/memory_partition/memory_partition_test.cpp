// One partition, one message after another: latencies, values and counts.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "components/protocols/host_memory.h"
#include "core/error/error.h"
#include "tests/components/memory_partition/partition_bench.h"

namespace lookahead::gpu::test {
namespace {

constexpr Cycle kReply = 64;  // the reply channel
constexpr Cycle kData = 2;    // from the tag to the reply port
constexpr Cycle kTail = 3;    // a line's reply has four flits

/// The arguments, changed by `change`.
MemoryPartitionArguments arguments_with(const std::function<void(MemoryPartitionArguments&)>& change,
                                        MemoryPartitionArguments arguments = {}) {
    change(arguments);
    return arguments;
}

AtomicLane lane_of(unsigned number, unsigned offset, std::uint64_t operand, std::uint64_t swap = 0) {
    return {.operand = operand,
            .operand2 = swap,
            .lane = static_cast<std::uint8_t>(number),
            .offset = static_cast<std::uint8_t>(offset),
            .unused = {}};
}

class Single {
  public:
    explicit Single(const MemoryPartitionArguments& arguments = {}) : bench(arguments) {}
    explicit Single(const std::function<void(MemoryPartitionArguments&)>& change) : bench(arguments_with(change)) {}

    /// The n-th line of slice `slice` in set `set`.
    std::uint64_t line(unsigned n = 0, unsigned set = 0, unsigned slice = 0) const {
        const std::uint64_t in_slice = (std::uint64_t{n} * 64 + set) * kLineBytes;
        const std::uint64_t local = (in_slice >> 8) << 9 | slice << 8 | (in_slice & 255);
        return mapping.address(0, local);
    }

    void read(Cycle now, std::uint64_t line, std::uint32_t tag = 0, unsigned requester = 0, unsigned slice = 0) {
        post(now, slice, requester, payload_of(ReadRequest{.line = line, .tag = tag, .client = Client::demand}),
             ReadRequest::kType);
    }
    void read_sectors(Cycle now, std::uint64_t line, SectorMask sectors, std::uint32_t tag = 0) {
        post(now, 0, 0, payload_of(ReadRequest{.line = line, .tag = tag, .client = Client::demand, .sectors = sectors}),
             ReadRequest::kType);
    }
    void write(Cycle now, std::uint64_t line, unsigned first, std::vector<std::uint8_t> bytes, std::uint32_t tag = 0) {
        ByteMask mask;
        mask.set(first, static_cast<unsigned>(bytes.size()));
        const unsigned from = first / 4 * 4;
        std::vector<std::byte> words((first + bytes.size() + 3) / 4 * 4 - from);
        std::memcpy(words.data() + (first - from), bytes.data(), bytes.size());
        post(now, 0, 0,
             payload_of(
                 WriteRequest{
                     .line = line, .mask = mask, .tag = tag, .words = static_cast<std::uint32_t>(words.size() / 4)},
                 words),
             WriteRequest::kType);
    }
    void atomic(Cycle now, std::uint64_t line, isa::AtomicOp op, isa::Type type, bool returns,
                const std::vector<AtomicLane>& lanes, std::uint32_t tag = 0) {
        post(now, 0, 0,
             payload_of(AtomicRequest{.line = line,
                                      .tag = tag,
                                      .op = op,
                                      .type = type,
                                      .returns_value = returns,
                                      .lanes = static_cast<std::uint8_t>(lanes.size())},
                        std::as_bytes(std::span(lanes))),
             AtomicRequest::kType);
    }
    void credit(Cycle now, std::uint32_t flits) {
        post(now, 0, 0, payload_of(Credit{.flits = flits, .unused = 0}), Credit::kType);
    }
    void host_write(Cycle now, std::uint64_t address, const std::vector<std::uint8_t>& bytes, bool fill_l2 = false,
                    bool asks = true) {
        bench.post(bench.clock().edge(now), kPartitionHostPort, HostWrite::kType,
                   payload_of(HostWrite{.address = address,
                                        .bytes = static_cast<std::uint32_t>(bytes.size()),
                                        .fill_l2 = fill_l2,
                                        .asks = asks,
                                        .unused = {}},
                              std::as_bytes(std::span(bytes))));
    }
    void host_fill(Cycle now, std::uint64_t address, std::uint32_t bytes, std::uint8_t value, bool asks = true) {
        bench.post(bench.clock().edge(now), kPartitionHostPort, HostFill::kType,
                   payload_of(HostFill{
                       .address = address, .bytes = bytes, .value = value, .asks = asks, .fill_l2 = 0, .unused = 0}));
    }
    std::vector<std::uint8_t> host_read(Cycle now, std::uint64_t address, std::uint32_t bytes) {
        bench.post(bench.clock().edge(now), kPartitionHostPort, HostRead::kType,
                   payload_of(HostRead{.address = address, .bytes = bytes, .unused = 0}));
        bench.run();
        const MessageHeader& reply = bench.outputs.back().back().header();
        REQUIRE(reply.type == HostReadReply::kType);
        const auto* data = reinterpret_cast<const std::uint8_t*>(&reply.as<HostReadReply>() + 1);
        return {data, data + reply.as<HostReadReply>().bytes};
    }

    /// The replies to a requester so far, without credits, in order of arrival.
    std::vector<const MessageHeader*> replies(unsigned requester = 0) {
        bench.run();
        std::vector<const MessageHeader*> all;
        for (const StoredMessage& message : bench.outputs[1 + requester]) {
            if (message.header().type != Credit::kType) { all.push_back(&message.header()); }
        }
        std::stable_sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->time < b->time; });
        return all;
    }
    /// The replies to requester 0 so far, which are that many.
    std::vector<const MessageHeader*> replies_of(std::size_t number) {
        auto all = replies();
        REQUIRE(all.size() == number);
        return all;
    }
    /// The cycles in which credits come back to requester 0.
    std::vector<Cycle> credits() {
        bench.run();
        std::vector<Cycle> cycles;
        for (const StoredMessage& message : bench.outputs[1]) {
            if (message.header().type == Credit::kType) { cycles.push_back(arrival(message.header())); }
        }
        std::sort(cycles.begin(), cycles.end());
        return cycles;
    }
    /// The cycle in which a read at `now` gets its line from an idle DRAM.
    Cycle fetched(Cycle now) const {
        const ClockDomain dram(924'000'000);
        // Activate at the first edge after the request's, RCD, a second column command after CCDL, CL, a burst of two.
        const Cycle activate = dram.cycle_at_or_after(bench.clock().edge(now) + 1);
        return bench.clock().cycle_at_or_after(dram.edge(activate + 12 + 3 + 12 + 2)) + 100;
    }
    Cycle arrival(const MessageHeader& message) const { return bench.clock().cycle_at_or_after(message.time); }

    const L2Counters& counters(unsigned slice = 0) { return bench.partition().slice(slice).counters(); }
    const DramCounters& dram() { return bench.partition().dram().counters(); }

    PartitionBench bench;
    const AddressMapping mapping{AddressMappingParameters{}};

  private:
    void post(Cycle now, unsigned slice, unsigned requester, const std::vector<std::byte>& payload, MessageType type) {
        bench.post(bench.clock().edge(now), partition_in_port(slice, requester), type, payload);
    }
};

std::vector<std::uint8_t> bytes_of(const MessageHeader& read_reply) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(read_reply.as<ReadReply>().data());
    return {data, data + kLineBytes};
}

TEST_CASE("a read that misses takes the DRAM's time, its fixed latency, and the reply's") {
    Single single;
    single.read(1000, single.line(), 77);
    const auto replies = single.replies_of(1);
    CHECK(replies[0]->as<ReadReply>().tag == 77);
    CHECK(replies[0]->as<ReadReply>().line == single.line());
    CHECK(single.arrival(*replies[0]) == single.fetched(1000) + kData + kTail + kReply);
}

TEST_CASE("a read that hits takes the data latency and the reply's") {
    Single single;
    single.read(1000, single.line());
    single.read(5000, single.line());
    const auto replies = single.replies_of(2);
    CHECK(single.arrival(*replies[1]) == 5000 + kData + kTail + kReply);
    CHECK(single.counters().reads == 2);
    CHECK(single.counters().read_hits == 1);
    CHECK(single.dram().reads == 1);
}

TEST_CASE("with far_latency the other half waits longer for a line's first read, for writes, and after each write") {
    constexpr Cycle kFar = 50;
    Single single([](auto& arguments) { arguments.l2.far_latency = kFar; });
    const std::uint64_t line = single.line(2, 2);  // an even number of ones: of the half of even requesters
    const Cycle hit = kData + kTail + kReply;
    single.read(1000, line);
    single.read(2000, line);
    single.read(3000, line, 0, 1);       // leaves a copy
    single.read(3000 + 20, line, 0, 1);  // comes with the first
    single.read(4000, line, 0, 3);       // finds it
    single.write(5000, line, 0, {1});    // removes it
    single.read(6000, line, 0, 3);
    CHECK(single.arrival(*single.replies(0)[1]) == 2000 + hit);
    CHECK(single.arrival(*single.replies(1)[0]) == 3000 + hit + kFar);
    CHECK(single.arrival(*single.replies(1)[1]) == 3000 + hit + kFar);
    CHECK(single.arrival(*single.replies(3)[0]) == 4000 + hit);
    CHECK(single.arrival(*single.replies(3)[1]) == 6000 + hit + kFar);
    CHECK(single.counters().read_hits == 5);
}

TEST_CASE("with far_latency acknowledgements and results of atomics take longer for the other half") {
    std::vector<Cycle> arrivals[2];
    for (const Cycle far : {Cycle{0}, Cycle{50}}) {
        Single single([far](auto& arguments) { arguments.l2.far_latency = far; });
        const std::uint64_t line = single.line(2, 3);  // an odd number of ones: requester 0 is in the other half
        single.read(1000, line);
        single.write(2000, line, 0, {1});
        single.atomic(3000, line, isa::AtomicOp::add, isa::Type::u32, true, {lane_of(0, 0, 1)});
        for (const MessageHeader* reply : single.replies()) { arrivals[far != 0].push_back(single.arrival(*reply)); }
    }
    REQUIRE(arrivals[0].size() == 3);
    for (unsigned i = 0; i < 3; ++i) { CHECK(arrivals[1][i] == arrivals[0][i] + 50); }
}

TEST_CASE("a line takes the place of a copy before that of a line used longer ago") {
    Single single([](auto& arguments) {
        arguments.l2.far_latency = 50;
        arguments.l2.ways = 3;
    });
    single.read(1000, single.line(1, 2));
    single.read(2000, single.line(2, 2));
    single.read(3000, single.line(2, 2), 0, 1);  // leaves a copy, and the set is full
    single.read(4000, single.line(4, 2));        // takes the copy's place
    single.read(5000, single.line(1, 2));
    single.replies();
    CHECK(single.dram().reads == 3);
    CHECK(single.counters().evictions == 1);
    single.read(6000, single.line(7, 2));  // without a copy: takes that of the line used longest ago, the second
    single.read(7000, single.line(2, 2));
    single.replies();
    CHECK(single.dram().reads == 5);
}

TEST_CASE("a copy for the other half takes a line of the set") {
    for (const Cycle far : {Cycle{0}, Cycle{50}}) {
        CAPTURE(far);
        Single single([far](auto& arguments) {
            arguments.l2.far_latency = far;
            arguments.l2.ways = 2;
        });
        single.read(1000, single.line(0, 2), 0, 0);
        single.read(2000, single.line(0, 2), 0, 1);
        single.read(3000, single.line(1, 2), 0, 0);
        single.read(4000, single.line(1, 2), 0, 1);
        single.read(5000, single.line(0, 2), 0, 0);
        single.replies();
        CHECK(single.dram().reads == (far == 0 ? 2 : 3));
    }
}

TEST_CASE("a write is acknowledged without a fetch, and a read of its line fetches the other bytes") {
    Single single;
    single.host_fill(10, single.line(), 128, 9);
    single.write(1000, single.line(), 5, {1, 2, 3}, 40);
    auto replies = single.replies_of(1);
    CHECK(replies[0]->as<WriteAcknowledge>().tag == 40);
    CHECK(single.arrival(*replies[0]) == 1000 + kData + kReply);
    CHECK(single.dram().reads == 0);
    single.read(2000, single.line());
    std::vector<std::uint8_t> expected(kLineBytes, 9);
    expected[5] = 1;
    expected[6] = 2;
    expected[7] = 3;
    CHECK(bytes_of(*single.replies().back()) == expected);
    CHECK(single.counters().partial_fetches == 1);
    CHECK(single.dram().reads == 1);
}

MemoryPartitionArguments with_fetches_on_write() {
    return arguments_with([](auto& arguments) { arguments.l2.fetch_on_write = true; });
}

TEST_CASE("with fetch_on_write a write that misses goes to DRAM, and its line comes before its acknowledgement") {
    Single single(with_fetches_on_write());
    single.host_fill(10, single.line(), 128, 9);
    single.write(1000, single.line(), 5, {1, 2, 3}, 40);
    auto replies = single.replies_of(1);
    CHECK(replies[0]->as<WriteAcknowledge>().tag == 40);
    CHECK(single.arrival(*replies[0]) >= single.fetched(1000) + kData + kReply);
    CHECK(single.dram().reads == 1);
    CHECK(single.dram().writes == 1);
    CHECK(single.dram().data_bus_cycles == 4 + 2);  // a line, and the burst of the written sector
    single.write(5000, single.line(), 127, {4}, 41);
    single.read(5001, single.line());
    replies = single.replies();
    CHECK(single.arrival(*replies[1]) == 5000 + kData + kReply);
    std::vector<std::uint8_t> expected(kLineBytes, 9);
    std::copy_n(std::array<std::uint8_t, 3>{1, 2, 3}.begin(), 3, expected.begin() + 5);
    expected[127] = 4;
    CHECK(bytes_of(*replies[2]) == expected);
    CHECK(single.dram().reads + single.dram().writes == 2);
}

TEST_CASE("with fetch_on_write only what is written to a line that is there makes it dirty") {
    for (const bool again : {false, true}) {
        CAPTURE(again);
        Single single(with_fetches_on_write());
        single.write(1000, single.line(), 100, {42});
        single.write(1001, single.line(), 101, {43});  // joins the first
        if (again) { single.write(2000, single.line(), 102, {44}); }
        for (unsigned n = 1; n <= 8; ++n) { single.read(2000 + n * 1000, single.line(n)); }
        single.replies();
        CHECK(single.counters().evictions == 1);
        CHECK(single.counters().write_backs == (again ? 1 : 0));
        CHECK(single.dram().writes == (again ? 3 : 2));
        single.read(20000, single.line());
        const auto bytes = bytes_of(*single.replies().back());
        CHECK(bytes[100] == 42);
        CHECK(bytes[101] == 43);
        CHECK(bytes[102] == (again ? 44 : 0));
    }
}

TEST_CASE("a line that was written whole is read without a fetch") {
    Single single;
    single.write(1000, single.line(), 0, std::vector<std::uint8_t>(kLineBytes, 6));
    single.read(2000, single.line());
    CHECK(bytes_of(*single.replies()[1]) == std::vector<std::uint8_t>(kLineBytes, 6));
    CHECK(single.dram().reads == 0);
}

TEST_CASE("requests to a line that is awaited wait for it and are performed in their order") {
    Single single;
    single.read(1000, single.line(), 1);
    single.write(1010, single.line(), 0, {8}, 2);
    single.read(1020, single.line(), 3);
    single.atomic(1030, single.line(), isa::AtomicOp::add, isa::Type::u32, true, {lane_of(0, 0, 3)}, 4);
    const auto replies = single.replies_of(4);
    CHECK(replies[0]->as<ReadReply>().tag == 1);
    CHECK(bytes_of(*replies[0])[0] == 0);
    CHECK(replies[1]->as<WriteAcknowledge>().tag == 2);
    CHECK(replies[2]->as<ReadReply>().tag == 3);
    CHECK(bytes_of(*replies[2])[0] == 8);
    CHECK(reinterpret_cast<const AtomicValue*>(&replies[3]->as<AtomicReply>() + 1)->value == 8);
    CHECK(single.dram().reads == 1);
    CHECK(single.counters().merges == 3);
}

TEST_CASE("four requests can wait for a line, the fifth waits in the port") {
    for (const unsigned requests : {4u, 5u}) {
        CAPTURE(requests);
        Single single;
        for (unsigned i = 0; i < requests; ++i) { single.read(1000 + i, single.line(), i); }
        CHECK(single.replies().size() == requests);
        CHECK((single.counters().stall_cycles[static_cast<std::size_t>(L2Stall::merges) - 1] > 0) == (requests > 4));
    }
}

TEST_CASE("the requests that waited for a line are performed one a cycle, before anything else") {
    Single single;
    single.write(500, single.line(0, 9), 0, {1}, 100);
    single.atomic(1000, single.line(), isa::AtomicOp::add, isa::Type::u32, false, {lane_of(0, 0, 1)}, 1);
    for (std::uint32_t tag = 2; tag <= 4; ++tag) { single.write(1000 + tag, single.line(), 0, {1}, tag); }
    const Cycle ready = single.fetched(1000);
    single.write(ready, single.line(0, 9), 0, {2}, 5);
    const auto replies = single.replies_of(6);
    for (unsigned i = 1; i <= 5; ++i) {
        CHECK(replies[i]->as<WriteAcknowledge>().tag == i);
        CHECK(single.arrival(*replies[i]) == ready + (i - 1) + kData + kReply);
    }
}

TEST_CASE("hits go on while another line is awaited") {
    Single single;
    single.read(1000, single.line(0, 1));
    single.read(3000, single.line(0, 2));
    single.read(3010, single.line(0, 1));
    const auto replies = single.replies();
    CHECK(single.arrival(*replies[1]) == 3010 + kData + kTail + kReply);
    CHECK(replies[1]->as<ReadReply>().line == single.line(0, 1));
}

TEST_CASE("eight lines of a set stay, and the ninth replaces the least recently used") {
    Single single;
    Cycle now = 1000;
    const auto touch = [&](unsigned n) { single.read(now += 1000, single.line(n)); };
    for (unsigned n = 0; n < 8; ++n) { touch(n); }
    for (unsigned n = 0; n < 8; ++n) { touch(n); }
    touch(0);  // line 1 is now the oldest
    single.replies();
    CHECK(single.counters().read_hits == 9);
    CHECK(single.counters().evictions == 0);
    touch(8);
    touch(0);
    single.replies();
    CHECK(single.counters().evictions == 1);
    CHECK(single.counters().read_hits == 10);
    touch(1);
    single.replies();
    CHECK(single.counters().read_hits == 10);
    CHECK(single.dram().writes == 0);
}

TEST_CASE("an atomic is performed lane by lane and returns the old values") {
    Single single;
    single.atomic(1000, single.line(), isa::AtomicOp::add, isa::Type::u32, true,
                  {lane_of(2, 8, 5), lane_of(3, 8, 6), lane_of(7, 12, 1)});
    single.atomic(2000, single.line(), isa::AtomicOp::cas, isa::Type::u64, true, {lane_of(1, 8, 0x1'0000'000b, 99)});
    single.atomic(3000, single.line(), isa::AtomicOp::max, isa::Type::u32, false, {lane_of(1, 8, 500)}, 66);
    const auto replies = single.replies_of(3);
    const auto values = [&](unsigned i) {
        return reinterpret_cast<const AtomicValue*>(&replies[i]->as<AtomicReply>() + 1);
    };
    CHECK(replies[0]->as<AtomicReply>().lanes == 3);
    CHECK(values(0)[0].value == 0);
    CHECK(values(0)[0].lane == 2);
    CHECK(values(0)[1].value == 5);
    CHECK(values(0)[2].value == 0);
    CHECK(values(0)[2].lane == 7);
    CHECK(values(1)[0].value == 0x1'0000'000b);
    CHECK(replies[2]->as<WriteAcknowledge>().tag == 66);
    const auto bytes = single.host_read(9000, single.line() + 8, 8);
    CHECK(bytes == std::vector<std::uint8_t>{244, 1, 0, 0, 0, 0, 0, 0});
    CHECK(single.counters().atomic_lanes == 5);
}

TEST_CASE("an atomic holds the slice for as many cycles as lanes meet at one word") {
    for (const bool meet : {false, true}) {
        CAPTURE(meet);
        Single single;
        std::vector<AtomicLane> lanes;
        for (unsigned i = 0; i < 32; ++i) { lanes.push_back(lane_of(i, meet ? 0 : 4 * i, 1)); }
        single.read(1000, single.line());
        single.read(1010, single.line(1));
        single.atomic(3000, single.line(), isa::AtomicOp::add, isa::Type::u32, false, lanes);
        single.read(3001, single.line(1));
        const auto replies = single.replies();
        const Cycle busy = meet ? 32 : 1;
        CHECK(single.arrival(*replies[2]) == 3000 + busy - 1 + kData + kReply);
        CHECK(single.arrival(*replies[3]) == 3000 + busy + kData + kTail + kReply);
    }
}

TEST_CASE("replies wait for credits and go on when they come") {
    Single single;
    const unsigned all = credits_per_path({});
    const unsigned fitting = all / 4;
    single.read(1000, single.line());
    for (unsigned i = 1; i <= fitting; ++i) { single.read(2000 + 10 * i, single.line(), i); }
    CHECK(single.replies().size() == fitting);
    CHECK_FALSE(single.bench.partition().finished());
    single.credit(9000, 4);
    CHECK(single.replies().size() == fitting + 1);
    CHECK(single.arrival(*single.replies().back()) == 9000 + kTail + kReply);
    CHECK(single.bench.partition().finished());
}

TEST_CASE("the host reads what was written last, in the slice or in DRAM") {
    Single single;
    single.host_write(10, single.line() + 4, {1, 2, 3, 4});
    CHECK(single.host_read(1000, single.line() + 3, 6) == std::vector<std::uint8_t>{0, 1, 2, 3, 4, 0});
    single.write(2000, single.line(), 5, {77});
    CHECK(single.host_read(3000, single.line() + 3, 6) == std::vector<std::uint8_t>{0, 1, 77, 3, 4, 0});
    single.host_fill(4000, single.line() + 6, 2, 5);
    CHECK(single.host_read(5000, single.line() + 3, 6) == std::vector<std::uint8_t>{0, 1, 77, 5, 5, 0});
    single.read(6000, single.line());
    CHECK(bytes_of(*single.replies().back())[5] == 77);
    single.host_write(7000, single.line() + 5, {12});
    single.read(8000, single.line());
    CHECK(bytes_of(*single.replies().back())[5] == 12);
}

TEST_CASE("the host's bytes go round the slices of the partition, and come back in pieces of which one is the last") {
    Single single;
    constexpr std::uint64_t kFirst = 200;  // local address
    const std::uint64_t address = single.mapping.address(0, kFirst);
    std::vector<std::uint8_t> bytes(kHostPieceBytes - kFirst);
    std::ranges::generate(bytes, [value = 1u]() mutable { return static_cast<std::uint8_t>(value += 37); });
    single.host_write(10, address, bytes);
    single.host_fill(20, single.mapping.address(0, kHostPieceBytes), 2000, 9);
    bytes.resize(bytes.size() + 2000, 9);
    // A slice's line in L2 is the newest.
    single.read(30, single.line(0, 0, 1), 0, 0, 1);
    single.bench.run();
    single.host_write(1000, single.mapping.address(0, 256), {77});
    bytes[256 - kFirst] = 77;
    const std::size_t before = (single.bench.run(), single.bench.outputs.back().size());
    single.host_read(2000, address, static_cast<std::uint32_t>(bytes.size()));
    std::vector<std::uint8_t> got;
    unsigned last = 0;
    for (std::size_t i = before; i < single.bench.outputs.back().size(); ++i) {
        const MessageHeader& message = single.bench.outputs.back()[i].header();
        const auto& reply = message.as<HostReadReply>();
        CHECK(last == 0);  // none follows it
        CHECK(reply.address == single.mapping.address(0, kFirst + got.size()));
        CHECK(reply.bytes <= kHostPieceBytes);
        last += reply.is_last;
        const auto* data = reinterpret_cast<const std::uint8_t*>(&reply + 1);
        got.insert(got.end(), data, data + reply.bytes);
    }
    CHECK(last == 1);
    CHECK(got == bytes);
}

TEST_CASE("the host is answered if it asks") {
    for (const bool asks : {false, true}) {
        Single single;
        single.host_write(10, single.line(), {1}, false, asks);
        single.host_fill(20, single.line(), 5, 1, asks);
        single.bench.run();
        CHECK(single.bench.outputs.back().size() == (asks ? 2 : 0));
    }
}

TEST_CASE("the host's answer arrives after its latency") {
    Single single;
    single.host_write(100, single.line(), {1});
    single.bench.run();
    REQUIRE(single.bench.outputs.back().size() == 1);
    const MessageHeader& answer = single.bench.outputs.back()[0].header();
    CHECK(answer.type == HostAcknowledge::kType);
    CHECK(answer.as<HostAcknowledge>().address == single.line());
    CHECK(single.arrival(answer) == 100 + 350);
}

TEST_CASE("a host copy fills L2 if it is told to") {
    for (const bool fill : {false, true}) {
        CAPTURE(fill);
        Single single;
        single.host_write(100, single.line(), std::vector<std::uint8_t>(256, 3), fill);
        single.read(1000, single.line());
        CHECK(bytes_of(*single.replies()[0]) == std::vector<std::uint8_t>(kLineBytes, 3));
        CHECK(single.dram().reads == (fill ? 0 : 1));
    }
}

TEST_CASE("a host copy that belongs to another partition is an error of the simulator") {
    Single single;
    single.host_write(100, single.line() + 256, {1});
    CHECK_THROWS_AS(single.bench.run(), InternalError);
}

TEST_CASE("slices work side by side and share the DRAM") {
    Single single;
    single.read(1000, single.line(0, 0, 0), 1, 0, 0);
    single.read(1000, single.line(0, 0, 1), 2, 1, 1);
    REQUIRE(single.replies(0).size() == 1);
    REQUIRE(single.replies(1).size() == 1);
    const Cycle first = single.arrival(*single.replies(0)[0]);
    const Cycle second = single.arrival(*single.replies(1)[0]);
    CHECK(second > first);
    CHECK(second < first + 12);
    CHECK(single.dram().activates == 2);
}

TEST_CASE("slices with a pseudo-channel each do not share banks, queue or data bus") {
    Single single([](auto& arguments) { arguments.dram.pseudo_channels = 2; });
    single.read(1000, single.line(0, 0, 0), 1, 0, 0);
    single.read(1000, single.line(0, 0, 1), 2, 1, 1);
    REQUIRE(single.replies(0).size() == 1);
    REQUIRE(single.replies(1).size() == 1);
    CHECK(single.arrival(*single.replies(0)[0]) == single.arrival(*single.replies(1)[0]));
    for (const unsigned pseudo_channel : {0u, 1u}) {
        CHECK(single.bench.partition().dram(pseudo_channel).counters().activates == 1);
        CHECK(single.bench.partition().dram(pseudo_channel).counters().reads == 1);
    }
}

TEST_CASE("configurations that do not fit together are refused") {
    const std::function<void(MemoryPartitionArguments&)> refused[] = {
        [](auto& arguments) { arguments.dram.chips = 4; },
        [](auto& arguments) { arguments.l2.sets = 48; },
        [](auto& arguments) { arguments.dram_scheduler = "frfc"; },
        [](auto& arguments) { arguments.dram.bank_groups = 3; },
        [](auto& arguments) { arguments.dram.pseudo_channels = 3; },
        [](auto& arguments) { arguments.dram.pseudo_channels = 4; },
        [](auto& arguments) { arguments.l2.sector_bytes = 64; },
        [](auto& arguments) { arguments.l2.port_bytes = 48; },
        [](auto& arguments) { arguments.l2.sector_bytes = 32, arguments.l2.fetch_on_write = true; },
        [](auto& arguments) { arguments.l2.miss_queue = 2, arguments.l2.fetch_on_write = true; },
        [](auto& arguments) { arguments.dram.entry_bytes = 32; },  // needs sectors
        [](auto& arguments) { arguments.dram.entry_bytes = 64; },
        [](auto& arguments) { arguments.requesters = 2000; }};
    for (const auto& change : refused) {
        CHECK_THROWS_AS(MemoryPartition(arguments_with(change), Configuration{}), ConfigurationError);
    }
}

MemoryPartitionArguments with_sectors() {
    return arguments_with([](auto& arguments) { arguments.l2.sector_bytes = 32; });
}

TEST_CASE("a reply carries the sectors that were asked for, whether L2 has sectors or not") {
    for (const bool sectors : {false, true}) {
        CAPTURE(sectors);
        Single single(sectors ? with_sectors() : MemoryPartitionArguments{});
        std::vector<std::uint8_t> bytes(kLineBytes);
        for (unsigned i = 0; i < kLineBytes; ++i) { bytes[i] = static_cast<std::uint8_t>(i + 1); }
        single.host_write(10, single.line(), bytes);
        single.read_sectors(1000, single.line(), 0b1010);
        const auto replies = single.replies_of(1);
        const auto& reply = replies[0]->as<ReadReply>();
        CHECK(reply.sectors == 0b1010);
        CHECK(std::memcmp(reply.data(), bytes.data() + 32, 32) == 0);
        CHECK(std::memcmp(reply.data() + 32, bytes.data() + 96, 32) == 0);
        CHECK(single.counters().fetched_sectors == (sectors ? 2 : 4));
        // Bursts of 64 bytes: the two sectors lie in different ones.
        CHECK(single.dram().data_bus_cycles == 2 * 2);
    }
}

TEST_CASE("with read_bytes 32 each sector of a fetch costs a burst of its own, and a write-back does not") {
    for (const std::int64_t read_bytes : {32, 64, 128}) {
        CAPTURE(read_bytes);
        Single single([&](auto& arguments) { arguments.dram.read_bytes = read_bytes; });
        single.read_sectors(1000, single.line(), kAllSectors);
        REQUIRE(single.replies().size() == 1);
        // A burst is 64 bytes in two cycles.
        CHECK(single.dram().data_bus_cycles == (read_bytes == 32 ? 8 : 4));
    }
}

TEST_CASE("a request holds the slice for the pieces that its port moves") {
    const auto second = [](std::int64_t port_bytes, SectorMask sectors) {
        Single single(arguments_with([&](auto& arguments) { arguments.l2.port_bytes = port_bytes; }, with_sectors()));
        single.read_sectors(1000, single.line(), kAllSectors);
        single.read_sectors(2000, single.line(1), 0b0001);
        single.read_sectors(5000, single.line(), sectors);
        single.read_sectors(5000, single.line(1), 0b0001);
        const auto replies = single.replies();
        // After the first one's flits in the reply port: only the slice is under test.
        return std::pair(single.arrival(*replies[2]), single.arrival(*replies[3]));
    };
    // One flit each: the second request is served in the cycle after the first one's last piece.
    CHECK(second(128, 0b0001).second - second(128, 0b0001).first == 1);
    CHECK(second(32, 0b0001).second - second(32, 0b0001).first == 1);
    // Two sectors of different halves move as the line, in four pieces; two of one half in two.
    const Cycle line = second(32, 0b0101).second - second(128, 0b0101).second;
    const Cycle half = second(32, 0b0011).second - second(128, 0b0011).second;
    CHECK(line == 2);  // of 4 cycles; with port_bytes 128 it waits for two flits
    CHECK(half == 0);  // of 2 cycles
    CHECK(second(64, 0b0101).second == second(128, 0b0101).second);
}

TEST_CASE("without sectors a line holds the port where it hits, not where it misses") {
    for (const bool hits : {false, true}) {
        CAPTURE(hits);
        Single single([](auto& arguments) { arguments.l2.port_bytes = 32; });
        if (hits) { single.read(1000, single.line()); }
        single.read(2000, single.line(1));
        single.replies();
        single.read(5000, single.line());
        single.read_sectors(5001, single.line(1), 0b0001, 7);
        const auto replies = single.replies();
        const auto* second = *std::find_if(replies.begin(), replies.end(),
                                           [](auto* reply) { return reply->template as<ReadReply>().tag == 7; });
        CHECK(single.arrival(*second) == (hits ? 5004 : 5001) + kData + kReply);
    }
}

TEST_CASE(
    "a request passes the slice's input latency before its tags, and gives its room in the network back at once") {
    for (const Cycle latency : {0, 1, 120}) {
        CAPTURE(latency);
        Single single([&](auto& arguments) {
            arguments.l2.input_latency = latency;
            arguments.crossbar.credit_batch = 1;
        });
        single.write(1000, single.line(), 0, {1}, 40);
        single.write(1001, single.line(), 1, {2}, 41);
        const auto replies = single.replies_of(2);
        CHECK(single.arrival(*replies[0]) == 1000 + latency + kData + kReply);
        CHECK(single.arrival(*replies[1]) == 1001 + latency + kData + kReply);
        CHECK(single.credits() == std::vector<Cycle>{1000 + kReply, 1001 + kReply});
    }
}

TEST_CASE("a slice takes no request while input_queue ones wait for its tags") {
    for (const std::int64_t queue : {1, 2}) {
        CAPTURE(queue);
        Single single([&](auto& arguments) {
            arguments.l2.input_latency = 20;
            arguments.l2.input_queue = queue;
            arguments.l2.merges = 1;
            arguments.crossbar.credit_batch = 1;
        });
        single.read(1000, single.line(), 1);
        single.read(1001, single.line(), 2);      // waits at the tags for the first one's line
        single.read(1040, single.line(0, 9), 3);  // finds it waiting
        const auto replies = single.replies_of(3);
        const Cycle filled = single.arrival(*replies[0]) - kData - kTail - kReply;
        REQUIRE(filled > 1100);
        CHECK((single.credits()[2] >= filled + kReply) == (queue == 1));
        CHECK((single.credits()[2] == 1040 + kReply) == (queue == 2));
    }
}

TEST_CASE("with entry_bytes 32 each sector of a fetch takes an entry of the DRAM's queue") {
    for (const std::int64_t entry_bytes : {32, 128}) {
        CAPTURE(entry_bytes);
        Single single(
            arguments_with([&](auto& arguments) { arguments.dram.entry_bytes = entry_bytes; }, with_sectors()));
        single.host_write(10, single.line(), std::vector<std::uint8_t>(kLineBytes, 7));
        single.read_sectors(1000, single.line(), kAllSectors);
        const auto replies = single.replies_of(1);
        CHECK(bytes_of(*replies[0]) == std::vector<std::uint8_t>(kLineBytes, 7));
        CHECK(single.dram().reads == (entry_bytes == 32 ? 4 : 1));
        CHECK(single.dram().data_bus_cycles == (entry_bytes == 32 ? 8 : 4));
        CHECK(single.counters().fetches == 1);
        CHECK(single.bench.partition().finished());
    }
}

TEST_CASE("a sector costs one burst, a hit of it none, and its neighbour in the burst another fetch") {
    Single single(with_sectors());
    single.read_sectors(1000, single.line(), 0b0001);
    single.read_sectors(5000, single.line(), 0b0001);
    single.replies();
    CHECK(single.dram().data_bus_cycles == 2);
    CHECK(single.counters().read_hits == 1);
    single.read_sectors(9000, single.line(), 0b0011);
    single.replies();
    CHECK(single.counters().fetches == 2);
    CHECK(single.counters().fetched_sectors == 2);
    CHECK(single.dram().data_bus_cycles == 4);
}

TEST_CASE("sectors of one line are fetched at the same time and answered in the order of the requests") {
    Single single(with_sectors());
    single.read_sectors(1000, single.line(), 0b0001, 1);
    single.read_sectors(1004, single.line(), 0b0100, 2);
    single.read_sectors(1008, single.line(), 0b0101, 3);
    const auto replies = single.replies_of(3);
    for (std::uint32_t i = 0; i < 3; ++i) { CHECK(replies[i]->as<ReadReply>().tag == i + 1); }
    CHECK(single.counters().fetches == 2);
    CHECK(single.counters().merges == 2);
    // The second fetch hits the row opened by the first; one after another they would take twice DRAM's latency.
    CHECK(single.arrival(*replies[2]) - single.arrival(*replies[0]) < 20);
}

TEST_CASE("a write to an awaited line keeps its place before a younger read of the same sector") {
    Single single(with_sectors());
    single.read_sectors(1000, single.line(), 0b0001, 1);
    single.write(1004, single.line(), 32, std::vector<std::uint8_t>(32, 7), 2);
    single.read_sectors(1008, single.line(), 0b0010, 3);
    const auto replies = single.replies_of(3);
    CHECK(replies[2]->as<ReadReply>().tag == 3);
    CHECK(replies[2]->as<ReadReply>().data()[0] == std::byte{7});
    CHECK(single.bench.partition().finished());
    CHECK(single.bench.partition().slice(0).idle());
}

TEST_CASE("a write-back writes the dirty sectors alone") {
    for (const bool sectors : {false, true}) {
        CAPTURE(sectors);
        Single single(arguments_with([](auto& arguments) { arguments.l2.ways = 1; },
                                     sectors ? with_sectors() : MemoryPartitionArguments{}));
        single.write(1000, single.line(0), 70, {1, 2, 3});
        single.write(3000, single.line(1), 0, {4});
        single.replies();
        CHECK(single.counters().write_backs == 1);
        CHECK(single.counters().written_sectors == (sectors ? 1 : 4));
        CHECK(single.dram().data_bus_cycles == (sectors ? 2 : 4));
        CHECK(single.host_read(9000, single.line(0) + 70, 3) == std::vector<std::uint8_t>{1, 2, 3});
    }
}

TEST_CASE("an atomic fetches the sectors of its lanes") {
    Single single(with_sectors());
    single.atomic(1000, single.line(), isa::AtomicOp::add, isa::Type::u32, true, {lane_of(0, 36, 5)}, 9);
    REQUIRE(single.replies().size() == 1);
    CHECK(single.counters().fetched_sectors == 1);
    CHECK(single.host_read(9000, single.line() + 36, 1) == std::vector<std::uint8_t>{5});
}

TEST_CASE("with row grants a slice takes two requests for one row of DRAM before another sender's for another row") {
    for (const std::int64_t grants : {0, 4}) {
        CAPTURE(grants);
        Single single([&](auto& arguments) {
            arguments.requesters = 2;
            arguments.crossbar.row_grants = grants;
        });
        const std::uint64_t first = single.line(0, 0), second = single.line(0, 1), other = single.line(0, 32);
        const auto same_row = [&](std::uint64_t a, std::uint64_t b) {
            const DramAddress one = single.mapping.decode(single.mapping.local_address(a));
            const DramAddress two = single.mapping.decode(single.mapping.local_address(b));
            return one.row == two.row && one.bank == two.bank;
        };
        REQUIRE(same_row(first, second));
        REQUIRE(!same_row(first, other));
        Cycle now = 0;
        for (const std::uint64_t line : {first, second, other}) {
            single.read(now++, line);  // into L2
        }
        single.bench.run();
        now = 5000;
        single.read(now, first, 1, 0);
        single.read(now, second, 2, 0);
        single.read(now, other, 3, 1);
        single.bench.run();
        const Time of_second = single.bench.outputs[1].back().header().time;
        const Time of_other = single.bench.outputs[2].back().header().time;
        CHECK(single.bench.outputs[1].back().header().as<ReadReply>().tag == 2);
        CHECK(single.bench.outputs[2].back().header().as<ReadReply>().tag == 3);
        CHECK((of_second < of_other) == (grants > 0));
    }
}

}  // namespace
}  // namespace lookahead::gpu::test
