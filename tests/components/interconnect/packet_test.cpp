#include <doctest/doctest.h>

#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "components/interconnect/crossbar/crossbar_parameters.h"
#include "components/interconnect/crossbar/packet_ring.h"
#include "components/interconnect/crossbar/packet_size.h"
#include "core/error/error.h"

namespace lookahead::gpu {
namespace {

TEST_CASE("a packet is a header of eight bytes and its data") {
    CHECK(packet_bytes(ReadRequest::kType, sizeof(ReadRequest)) == 8);
    CHECK(packet_bytes(WriteRequest::kType, sizeof(WriteRequest) + 4) == 12);
    CHECK(packet_bytes(WriteRequest::kType, sizeof(WriteRequest) + 128) == 136);
    CHECK(packet_bytes(AtomicRequest::kType, sizeof(AtomicRequest) + 32 * sizeof(AtomicLane)) == 8 + 32 * 8);
    CHECK(packet_bytes(ReadReply::kType, sizeof(ReadReply) + kLineBytes) == 136);
    CHECK(packet_bytes(ReadReply::kType, sizeof(ReadReply) + kSectorBytes) == 40);
    CHECK(packet_bytes(WriteAcknowledge::kType, sizeof(WriteAcknowledge)) == 8);
    CHECK(packet_bytes(AtomicReply::kType, sizeof(AtomicReply) + 5 * sizeof(AtomicValue)) == 48);
    CHECK_THROWS_AS(packet_bytes(Credit::kType, sizeof(Credit)), InternalError);
}

TEST_CASE("a padded write is as large as its words") {
    std::uint64_t words[3 + (sizeof(WriteRequest) + 3 * 4 + 4) / 8] = {};
    auto& message = *reinterpret_cast<MessageHeader*>(words);
    message.type = WriteRequest::kType;
    message.payload_words = sizeof(words) / 8 - 3;
    reinterpret_cast<WriteRequest*>(&message + 1)->words = 3;
    CHECK(packet_bytes(message) == 8 + 12);
}

TEST_CASE("an atomic's packet has atomic_lane_bytes for each lane") {
    const std::size_t request = sizeof(AtomicRequest) + 8 * sizeof(AtomicLane);
    const std::size_t reply = sizeof(AtomicReply) + 8 * sizeof(AtomicValue);
    for (const unsigned lane_bytes : {4u, 8u}) {
        CAPTURE(lane_bytes);
        CHECK(packet_bytes(AtomicRequest::kType, request, lane_bytes) == 8 + 8 * lane_bytes);
        CHECK(packet_bytes(AtomicReply::kType, reply, lane_bytes) == 8 + 8 * lane_bytes);
        const FlitCounter flits(32, lane_bytes);
        CHECK(flits.of(AtomicRequest::kType, request) == (lane_bytes == 4 ? 2 : 3));
        CHECK(flits.of(WriteRequest::kType, sizeof(WriteRequest) + 128) == 5);
        CHECK(sizeof(MessageHeader) + sizeof(AtomicRequest) + 32 * sizeof(AtomicLane) <=
              flits.of(AtomicRequest::kType, sizeof(AtomicRequest) + 32 * sizeof(AtomicLane)) *
                  flits.message_bytes_bound());
    }
}

TEST_CASE("flits are counted as by division, for every flit size") {
    for (unsigned flit = 8; flit <= 256; ++flit) {
        const FlitCounter flits(flit);
        for (unsigned bytes = 0; bytes < 4096; ++bytes) { REQUIRE(flits(bytes) == (bytes + flit - 1) / flit); }
    }
}

TEST_CASE("no message takes more bytes than the bound for its packet") {
    for (unsigned lanes = 1; lanes <= 32; ++lanes) {
        const std::size_t request = sizeof(AtomicRequest) + lanes * sizeof(AtomicLane);
        CHECK(sizeof(MessageHeader) + request <= message_bytes_bound(packet_bytes(AtomicRequest::kType, request)));
        const std::size_t reply = sizeof(AtomicReply) + lanes * sizeof(AtomicValue);
        CHECK(sizeof(MessageHeader) + reply <= message_bytes_bound(packet_bytes(AtomicReply::kType, reply)));
        const std::size_t write = sizeof(WriteRequest) + lanes * 4;
        CHECK(sizeof(MessageHeader) + (write + 7) / 8 * 8 <=
              message_bytes_bound(packet_bytes(WriteRequest::kType, write)));
    }
    for (unsigned sectors = 1; sectors <= kSectors; ++sectors) {
        const std::size_t reply = sizeof(ReadReply) + sectors * kSectorBytes;
        CHECK(sizeof(MessageHeader) + reply <= message_bytes_bound(packet_bytes(ReadReply::kType, reply)));
    }
    CHECK(sizeof(MessageHeader) + sizeof(ReadRequest) <= message_bytes_bound(8));
}

TEST_CASE("credits cover the table's entries, the round trip and a batch") {
    CrossbarParameters parameters;
    CHECK(credits_per_path(parameters) == 8 * 4 + 64 + 64 + 16);
    parameters.input_entries = 1;
    CHECK(credits_per_path(parameters) == 7 + 64 + 64 + 16);  // one atomic of a whole warp
}

std::vector<std::uint64_t> message_of(unsigned payload_words, std::uint32_t number) {
    std::vector<std::uint64_t> words(3 + payload_words, number);
    auto& head = *reinterpret_cast<MessageHeader*>(words.data());
    head = {.time = number,
            .channel = 1,
            .sequence = number,
            .destination = 2,
            .in_port = 3,
            .type = 4,
            .payload_words = static_cast<std::uint8_t>(payload_words)};
    return words;
}

TEST_CASE("a ring gives back what was put in, in order, wherever it wraps") {
    const unsigned seed = 11;
    CAPTURE(seed);
    std::mt19937 random(seed);
    PacketRing ring(1000, 24 + 8 * 20);
    std::deque<std::vector<std::uint64_t>> model;
    std::size_t bytes = 0;
    for (std::uint32_t i = 0; i < 200000; ++i) {
        const auto message = message_of(random() % 21, i);
        if (random() % 2 == 0 && bytes + message.size() * 8 <= 1000) {
            ring.push_copy(*reinterpret_cast<const MessageHeader*>(message.data()));
            bytes += message.size() * 8;
            model.push_back(message);
        } else if (!model.empty()) {
            REQUIRE(ring.front().total_bytes() == model.front().size() * 8);
            REQUIRE(std::memcmp(&ring.front(), model.front().data(), model.front().size() * 8) == 0);
            bytes -= model.front().size() * 8;
            ring.pop();
            model.pop_front();
        }
        REQUIRE(ring.packets() == model.size());
        REQUIRE(ring.empty() == model.empty());
    }
}

TEST_CASE("a ring that overflows says that credits were broken") {
    PacketRing ring(100, 32);
    const auto message = message_of(1, 7);
    CHECK_THROWS_AS(
        [&] {
            for (int i = 0; i < 20; ++i) { ring.push_copy(*reinterpret_cast<const MessageHeader*>(message.data())); }
        }(),
        InternalError);
}

}  // namespace
}  // namespace lookahead::gpu
