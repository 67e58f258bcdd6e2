#include "components/machine/perfect_memory.h"

#include <doctest/doctest.h>

#include <array>
#include <cstring>

#include "components/isa/address_space.h"
#include "core/error/error.h"
#include "core/state/archives.h"

namespace lookahead::gpu {
namespace {

constexpr std::uint64_t kLine = isa::kGlobalBase + 4096;

template <class P, std::size_t N = 0>
struct Payload {
    P fixed;
    std::array<std::uint64_t, N> more{};

    void send_to(MemoryPort& port) const {
        const auto type = static_cast<GpuMessage>(P::kType);
        port.send(type, reinterpret_cast<const std::byte*>(this), sizeof *this, 100);
    }
};

Payload<ReadRequest> read_of(SectorMask sectors, std::uint32_t tag = 0) {
    return {{.line = kLine, .tag = tag, .client = Client::demand, .sectors = sectors}};
}

/// Stores two words at the byte.
Payload<WriteRequest, 1> write_at(unsigned first, std::uint64_t value, std::uint32_t tag = 0) {
    Payload<WriteRequest, 1> request{{.line = kLine, .mask = {}, .tag = tag, .words = 2}, {value}};
    request.fixed.mask.set(first, 8);
    return request;
}

TEST_CASE("a read has its sectors in the next cycle, with all that was stored before it") {
    PerfectMemory memory;
    PerfectMemoryPort port(memory);
    CHECK(port.can_send(0));
    CHECK(port.next_reply_cycle(100) == kCycleInfinity);
    write_at(40, 0x1122334455667788, 7).send_to(port);
    read_of(0b0010, 9).send_to(port);
    CHECK(port.next_reply_cycle(100) == 101);
    CHECK_FALSE(port.drained());
    const MessageHeader* first = port.next_reply(101);
    REQUIRE(first != nullptr);
    CHECK(first->as<WriteAcknowledge>().tag == 7);
    const MessageHeader* second = port.next_reply(101);
    REQUIRE(second != nullptr);
    const auto& reply = second->as<ReadReply>();
    CHECK(reply.line == kLine);
    CHECK(reply.tag == 9);
    CHECK(reply.sectors == 0b0010);
    std::uint64_t value = 0;
    std::memcpy(&value, reply.data() + 8, sizeof value);
    CHECK(value == 0x1122334455667788);
    CHECK(second->payload_bytes() == sizeof(ReadReply) + kSectorBytes);
    CHECK(port.next_reply(101) == nullptr);
    CHECK(port.drained());
}

TEST_CASE("ports share the memory, and each has its own replies") {
    PerfectMemory memory;
    PerfectMemoryPort writer(memory);
    PerfectMemoryPort reader(memory);
    write_at(0, 42).send_to(writer);
    read_of(0b0001).send_to(reader);
    std::uint64_t value = 0;
    std::memcpy(&value, reader.next_reply(101)->as<ReadReply>().data(), sizeof value);
    CHECK(value == 42);
    CHECK(writer.next_reply(101)->type == WriteAcknowledge::kType);
    CHECK(reader.drained());
}

TEST_CASE("the lanes of an atomic are performed one after another; a reduction is acknowledged") {
    PerfectMemory memory;
    PerfectMemoryPort port(memory);
    for (const bool returns : {true, false}) {
        Payload<AtomicRequest, 6> request{{.line = kLine,
                                           .tag = 5,
                                           .op = isa::AtomicOp::add,
                                           .type = isa::Type::u32,
                                           .returns_value = returns,
                                           .lanes = 2},
                                          {}};
        const AtomicLane lanes[2] = {{.operand = 3, .operand2 = 0, .lane = 4, .offset = 64, .unused = {}},
                                     {.operand = 4, .operand2 = 0, .lane = 9, .offset = 64, .unused = {}}};
        static_assert(sizeof lanes == sizeof request.more);
        std::memcpy(request.more.data(), lanes, sizeof lanes);
        request.send_to(port);
        const MessageHeader* reply = port.next_reply(101);
        REQUIRE(reply != nullptr);
        if (!returns) {
            CHECK(reply->as<WriteAcknowledge>().tag == 5);
            continue;
        }
        REQUIRE(reply->as<AtomicReply>().lanes == 2);
        const auto* values = reinterpret_cast<const AtomicValue*>(&reply->as<AtomicReply>() + 1);
        CHECK(values[0].lane == 4);
        CHECK(values[0].value == 0);
        CHECK(values[1].lane == 9);
        CHECK(values[1].value == 3);
    }
    std::uint32_t sum = 0;
    std::memcpy(&sum, memory.read(kLine + 64), sizeof sum);
    CHECK(sum == 14);
}

TEST_CASE("a memory and a port that are saved go on alike") {
    PerfectMemory memory;
    PerfectMemoryPort port(memory);
    write_at(0, 42).send_to(port);
    port.next_reply(101);
    read_of(0b1111).send_to(port);
    const std::string memory_bytes = saved_state(memory), port_bytes = saved_state(port);
    PerfectMemory other;
    PerfectMemoryPort restored(other);
    load_state(other, memory_bytes);
    load_state(restored, port_bytes);
    CHECK(hash_of_state(memory) == hash_of_state(other));
    CHECK(hash_of_state(port) == hash_of_state(restored));
    const MessageHeader* reply = restored.next_reply(101);
    REQUIRE(reply != nullptr);
    CHECK(reply->as<ReadReply>().data()[0] == std::byte{42});
}

TEST_CASE("a message of the network at a port to a perfect memory is a broken invariant") {
    PerfectMemory memory;
    PerfectMemoryPort port(memory);
    const MessageHeader message{};
    CHECK_THROWS_AS(port.receive(message, 0), InternalError);
}

}  // namespace
}  // namespace lookahead::gpu
