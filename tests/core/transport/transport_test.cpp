#include "core/transport/transport.h"

#include <doctest/doctest.h>

#include <cstring>

#include "core/transport/mpi/mpi_transport.h"

using namespace lookahead;

namespace {

/// Never destroyed: the test program ends MPI before static objects die.
Transport& transport() {
    static Transport& it = *new MpiTransport();
    return it;
}

std::uint64_t word_of(int from, int to, std::uint64_t number, std::size_t index) {
    return static_cast<std::uint64_t>(from) << 48 ^ static_cast<std::uint64_t>(to) << 32 ^ number << 20 ^ index;
}

ByteBuffer packet_for(int to, std::uint64_t number, std::size_t words) {
    ByteBuffer packet;
    packet.extend(Transport::kPacketHeaderBytes);
    for (std::size_t i = 0; i < words; ++i) {
        const std::uint64_t word = word_of(transport().rank(), to, number, i);
        packet.append(&word, sizeof word);
    }
    return packet;
}

bool is_packet(std::span<const std::byte> packet, int from, std::uint64_t number, std::size_t words) {
    if (packet.size() != words * 8) {
        return false;
    }
    for (std::size_t i = 0; i < words; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, packet.data() + 8 * i, sizeof word);
        if (word != word_of(from, transport().rank(), number, i)) {
            return false;
        }
    }
    return true;
}

/// From empty packets to ones far beyond the posted buffers, and both sides of that border.
constexpr std::size_t kBorder = MpiTransport::kPostedBytes / 8 - 1;
constexpr std::size_t kSizes[] = {0, 1, 100, 8000, 40'000, kBorder - 1, kBorder, kBorder + 1, 3 * kBorder, 2, 0};

}  // namespace

TEST_CASE("packets of all sizes arrive whole and in order when all ranks send at once") {
    for (int round = 0; round < 3; ++round) {
        std::uint64_t number = 0;
        for (const std::size_t words : kSizes) {
            for (int to = 0; to < transport().size(); ++to) {
                if (to != transport().rank()) {
                    ByteBuffer packet = packet_for(to, number, words);
                    transport().send(to, packet);
                    CHECK(packet.empty());
                }
            }
            for (int from = 0; from < transport().size(); ++from) {
                if (from != transport().rank()) {
                    REQUIRE(is_packet(transport().receive(from), from, number, words));
                }
            }
            ++number;
        }
    }
}

TEST_CASE("many packets may be under way before the first is received") {
    constexpr std::uint64_t kPackets = 50;
    for (std::uint64_t number = 0; number < kPackets; ++number) {
        for (int to = 0; to < transport().size(); ++to) {
            if (to != transport().rank()) {
                ByteBuffer packet = packet_for(to, number, number * 40);
                transport().send(to, packet);
            }
        }
    }
    for (int from = 0; from < transport().size(); ++from) {
        for (std::uint64_t number = 0; from != transport().rank() && number < kPackets;) {
            std::span<const std::byte> packet;
            if (transport().try_receive(from, packet)) {
                REQUIRE(is_packet(packet, from, number, number * 40));
                ++number;
            }
        }
    }
}

TEST_CASE("all_gather gives every rank's words in the order of the ranks") {
    const auto rank = static_cast<std::uint64_t>(transport().rank());
    const std::uint64_t mine[2] = {rank * 10, rank * 10 + 1};
    std::vector<std::uint64_t> all(2 * static_cast<std::size_t>(transport().size()));
    transport().all_gather(mine, all);
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(all[i] == i / 2 * 10 + i % 2);
    }
}

TEST_CASE("gather brings strings of different lengths to rank 0 only") {
    const std::string mine(static_cast<std::size_t>(transport().rank()) * 1000,
                           static_cast<char>('a' + transport().rank()));
    const std::vector<std::string> parts = transport().gather(mine);
    REQUIRE(parts.size() == (transport().rank() == 0 ? static_cast<std::size_t>(transport().size()) : 0));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        CHECK(parts[i] == std::string(i * 1000, static_cast<char>('a' + i)));
    }
}

TEST_CASE("broadcast replaces the bytes on every rank by the root's") {
    for (int root = 0; root < transport().size(); ++root) {
        std::string bytes = "rank " + std::to_string(transport().rank()) + std::string(transport().rank() * 7, '!');
        transport().broadcast(bytes, root);
        CHECK(bytes == "rank " + std::to_string(root) + std::string(root * 7, '!'));
    }
}
