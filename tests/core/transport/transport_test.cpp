#include "core/transport/transport.h"

#include <doctest/doctest.h>
#include <mpi.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "core/transport/mpi/mpi_transport.h"

using namespace lookahead;

namespace {

/// Never destroyed: the test program ends MPI before static objects die.
Transport& transport() {
    static Transport& it = *new MpiTransport();
    return it;
}

/// The ranks beside this one.
std::vector<int> others(const Transport& of = transport()) {
    std::vector<int> ranks;
    for (int rank = 0; rank < of.size(); ++rank) {
        if (rank != of.rank()) { ranks.push_back(rank); }
    }
    return ranks;
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
    if (packet.size() != words * 8) { return false; }
    for (std::size_t i = 0; i < words; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, packet.data() + 8 * i, sizeof word);
        if (word != word_of(from, transport().rank(), number, i)) { return false; }
    }
    return true;
}

/// From empty packets to ones far beyond the posted buffers, and both sides of the border between them.
constexpr std::size_t kBorder = MpiTransport::kPostedBytes / 8 - 1;
constexpr std::size_t kSizes[] = {0, 1, 100, 8000, 40'000, kBorder - 1, kBorder, kBorder + 1, 3 * kBorder, 2, 0};

TEST_CASE("packets of all sizes arrive whole and in order when all ranks send at once") {
    for (int round = 0; round < 3; ++round) {
        std::uint64_t number = 0;
        for (const std::size_t words : kSizes) {
            for (const int to : others()) {
                ByteBuffer packet = packet_for(to, number, words);
                transport().send(to, packet);
                CHECK(packet.empty());
            }
            for (const int from : others()) { REQUIRE(is_packet(transport().receive(from), from, number, words)); }
            ++number;
        }
    }
}

TEST_CASE("many packets may be under way before the first is received") {
    constexpr std::uint64_t kPackets = 50;
    for (std::uint64_t number = 0; number < kPackets; ++number) {
        for (const int to : others()) {
            ByteBuffer packet = packet_for(to, number, number * 40);
            transport().send(to, packet);
        }
    }
    for (const int from : others()) {
        for (std::uint64_t number = 0; number < kPackets;) {
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
    for (std::size_t i = 0; i < all.size(); ++i) { CHECK(all[i] == i / 2 * 10 + i % 2); }
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

/// Bytes that reveal a piece that is lost, doubled or misplaced.
std::string long_bytes(int rank, std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = static_cast<char>((i * 2654435761u >> 16) + static_cast<std::size_t>(rank));
    }
    return bytes;
}

void check_long(Transport& all, std::size_t size) {
    // Each rank has a different length; some have none.
    const auto size_of = [size](int rank) {
        return rank % 3 == 1 ? size : size / 3 * static_cast<std::size_t>(rank % 3);
    };
    const std::vector<std::string> parts = all.gather(long_bytes(all.rank(), size_of(all.rank())));
    REQUIRE(parts.size() == (all.rank() == 0 ? static_cast<std::size_t>(all.size()) : 0));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const int rank = static_cast<int>(i);
        CHECK((parts[i] == long_bytes(rank, size_of(rank))));  // doctest would print the operands
    }
    const int root = all.size() - 1;
    std::string bytes = all.rank() == root ? long_bytes(root, size) : std::string();
    all.broadcast(bytes, root);
    CHECK((bytes == long_bytes(root, size)));
}

TEST_CASE("what is longer than a piece is gathered and broadcast whole") {
    static_cast<void>(transport());  // initialises MPI
    const MPI_Comm world = MPI_COMM_WORLD;
    constexpr std::size_t kPiece = 1000;
    MpiTransport small(&world, kPiece);
    for (const std::size_t size : {std::size_t{0}, kPiece - 1, kPiece, kPiece + 1, 7 * kPiece, 100 * kPiece + 3}) {
        check_long(small, size);
    }
}

std::uint64_t cpu_nanoseconds(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

/// Keeps the calling thread, and threads that it starts, on its core.
class OnOneCore {
  public:
    OnOneCore() {
        ::sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
        ::sched_setaffinity(0, sizeof one, &one);
    }
    OnOneCore(const OnOneCore&) = delete;
    OnOneCore& operator=(const OnOneCore&) = delete;
    ~OnOneCore() { ::sched_setaffinity(0, sizeof before_, &before_); }

  private:
    cpu_set_t before_{};
};

}  // namespace

TEST_CASE("a rank that sends more than 1 MiB leaves its core to others until the receiver comes") {
    constexpr std::size_t kBytes = std::size_t{5} << 20;
    constexpr std::chrono::milliseconds kLate{300};
    transport().barrier();
    if (transport().rank() == 1) {
        std::this_thread::sleep_for(kLate);
        CHECK((transport().receive_bytes(0) == long_bytes(0, kBytes)));
    } else if (transport().rank() == 0 && transport().size() > 1) {
        const std::string bytes = long_bytes(0, kBytes);
        const OnOneCore pinned;
        std::atomic<bool> is_sent = false;
        std::uint64_t computed_beside = 0;
        std::thread beside([&] {
            while (!is_sent) {}
            computed_beside = cpu_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
        });
        const std::uint64_t begin = cpu_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
        transport().send_bytes(1, bytes);
        const std::uint64_t computed = cpu_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - begin;
        is_sent = true;
        beside.join();
        CHECK(computed < computed_beside / 2);  // MPI_Send would take as much
    }
    transport().barrier();
}

// Run by `mpirun -n 2 core_transport_test --no-skip -tc='*beyond MPI*'`: takes some 10 GB of memory.
TEST_CASE("lengths beyond MPI's int are gathered and broadcast whole" * doctest::skip()) {
    check_long(transport(), std::size_t{3} << 30);
}

TEST_CASE("a rank that waits for others with patience learns whether they came") {
    const auto mine = static_cast<std::uint64_t>(transport().rank());
    std::vector<std::uint64_t> all(static_cast<std::size_t>(transport().size()));
    REQUIRE(transport().try_all_gather({&mine, 1}, all, std::chrono::seconds(60)));
    for (std::size_t i = 0; i < all.size(); ++i) { CHECK(all[i] == i); }
}

TEST_CASE("ranks that give the same colour make a transport of their own") {
    constexpr int kGroup = 2;
    const int colour = transport().rank() / kGroup;
    const std::unique_ptr<Transport> part = transport().split(colour);
    const int expected = std::min(kGroup, transport().size() - colour * kGroup);
    CHECK(part->size() == expected);
    CHECK(part->rank() == transport().rank() % kGroup);
    // Messages sent through one are invisible to the other, in any order.
    const auto mine = static_cast<std::uint64_t>(transport().rank());
    std::vector<std::uint64_t> of_part(static_cast<std::size_t>(part->size()));
    part->all_gather({&mine, 1}, of_part);
    for (int rank = 0; rank < part->size(); ++rank) {
        CHECK(of_part[static_cast<std::size_t>(rank)] == static_cast<std::uint64_t>(colour * kGroup + rank));
    }
    for (const int to : others(*part)) {
        ByteBuffer packet = packet_for(colour * kGroup + to, 7, 100);
        part->send(to, packet);
    }
    for (const int from : others(*part)) { CHECK(is_packet(part->receive(from), colour * kGroup + from, 7, 100)); }
    part->barrier();
}

TEST_CASE("a shared counter gives every number to one rank") {
    constexpr std::uint64_t kCalls = 1000;
    const auto ranks = static_cast<std::uint64_t>(transport().size());
    const std::unique_ptr<SharedCounter> counter = transport().make_counter();
    std::vector<std::uint64_t> mine;
    for (std::uint64_t i = 0; i < kCalls; ++i) {
        mine.push_back(counter->next());
        counter->progress();
    }
    CHECK(std::is_sorted(mine.begin(), mine.end()));
    counter->rest();
    CHECK(counter->value() == kCalls * ranks);
    std::vector<std::uint64_t> all(kCalls * ranks);
    transport().all_gather(mine, all);
    std::sort(all.begin(), all.end());
    for (std::uint64_t i = 0; i < all.size(); ++i) { REQUIRE(all[i] == i); }
}

TEST_CASE("a shared counter's rank 0 may sleep: the others get their numbers meanwhile") {
    const std::unique_ptr<SharedCounter> counter = transport().make_counter();
    if (transport().rank() != 0) {
        for (int i = 0; i < 100; ++i) { counter->next(); }
    }
    counter->rest();
    CHECK(counter->value() == 100u * static_cast<std::uint64_t>(transport().size() - 1));
    counter->rest();
}
