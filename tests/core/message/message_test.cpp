#include "core/message/message.h"

#include <doctest/doctest.h>

#include <cstring>
#include <set>

#include "core/message/byte_buffer.h"

using namespace lookahead;

TEST_CASE("the header lies in memory as on the wire") {
    const MessageHeader header{0x0102030405060708, 0x11121314, 0x21222324, 0x31323334, 0x4142, 0x51, 0x61};
    unsigned char bytes[24];
    std::memcpy(bytes, &header, 24);
    const unsigned char expected[24] = {8,    7,    6,    5,    4,    3,    2,    1,    0x14, 0x13, 0x12, 0x11,
                                        0x24, 0x23, 0x22, 0x21, 0x34, 0x33, 0x32, 0x31, 0x42, 0x41, 0x51, 0x61};
    CHECK(std::memcmp(bytes, expected, 24) == 0);
    CHECK(header.payload_bytes() == 0x61 * 8);
    CHECK(header.total_bytes() == 24 + 0x61 * 8);
    CHECK(header.channel_number() == 0x121314);
    CHECK(header.order() == 0x1213141121222324u);
}

TEST_CASE("messages are in order by channel, then by all 40 bits of their sequence") {
    const auto order = [](std::uint32_t channel, std::uint32_t turn, std::uint32_t sequence) {
        return MessageHeader{0, channel | turn << 24, sequence, 0, 0, 0, 0}.order();
    };
    CHECK(order(5, 0, 0xffff'ffff) < order(5, 1, 0));
    CHECK(order(5, 0xfe, 0xffff'ffff) < order(5, 0xff, 0));
    CHECK(order(5, 0xff, 0xffff'ffff) < order(6, 0, 0));
}

TEST_CASE("every message type of the engine's models is registered once") {
    std::set<unsigned> types;
    std::set<std::string_view> names;
    for (const MessageDescription& message : registered_messages()) {
        CHECK(types.insert(message.type).second);
        CHECK(names.insert(message.name).second);
        CHECK(message.bytes <= kMaximumPayloadBytes);
    }
    CHECK(types.size() >= 5);  // PHOLD's; fewer means that the linker dropped them
    CHECK(names.count("PholdEvent32") == 1);
}

TEST_CASE("a byte buffer keeps its bytes when it grows, and its memory when it is cleared") {
    ByteBuffer buffer;
    for (std::uint64_t i = 0; i < 1000; ++i) { buffer.append(&i, sizeof i); }
    for (std::uint64_t i = 0; i < 1000; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, buffer.data() + i * 8, 8);
        REQUIRE(word == i);
    }
    const std::byte* before = buffer.data();
    buffer.clear();
    CHECK(buffer.empty());
    CHECK(buffer.extend(8000) == before);
}
