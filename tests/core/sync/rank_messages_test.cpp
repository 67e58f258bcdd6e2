// The messages that wait for a rank's LPs, and the batches for other ranks.

#include <doctest/doctest.h>

#include <cstring>

#include "core/error/error.h"
#include "tests/core/sync/rank_bench.h"
#include "tests/core/sync/wanderer.h"

using namespace lookahead;
using lookahead::test::RankBench;

namespace {

/// LPs 0 and 1 are on this rank, LP 2 is on the other one.
struct TwoRanks : RankBench {
    TwoRanks() : RankBench(three_lps(), {0, 0, 1}) {}
    static Model three_lps() {
        Model model;
        for (const char* name : {"a", "b", "c"}) { model.add({name, "lp"}, nullptr); }
        return model;
    }
    void deliver(const MessageHeader& message, Time reached) {
        std::vector<std::byte> bytes(sizeof message);
        std::memcpy(bytes.data(), &message, sizeof message);
        messages.deliver(bytes, all_at<kMostKinds>(reached));
    }
    /// Lets LP 0 read its messages before the horizon, on thread 1. Returns their times and channels.
    std::vector<std::pair<Time, std::uint32_t>> read(Time horizon) {
        REQUIRE(messages.turn_if_due(0, horizon));
        std::vector<std::pair<Time, std::uint32_t>> read;
        for (const MessageHeader* message : messages.take_due(1, 0, horizon)) {
            read.emplace_back(message->time, message->channel_number());
        }
        messages.clear(0);
        messages.end_window();
        return read;
    }
};

}  // namespace

TEST_CASE("an LP reads what is due by time and channel, whoever wrote it, and the rest in a later window") {
    TwoRanks bench;
    bench.write(0, TwoRanks::header(0, 5, 2));
    bench.write(1, TwoRanks::header(0, 5, 1));
    bench.write(1, TwoRanks::header(0, 3, 7));
    bench.write(0, TwoRanks::header(0, 9));
    CHECK_FALSE(bench.messages.turn_if_due(0, 3));
    CHECK(bench.read(6) == std::vector<std::pair<Time, std::uint32_t>>{{3, 7}, {5, 1}, {5, 2}});
    CHECK(bench.statistics.events == 3);
    CHECK(bench.messages.earliest(0, Arrivals::kUsual) == 9);
    CHECK(bench.messages.waiting(0).size() == sizeof(MessageHeader));
    CHECK(bench.read(10) == std::vector<std::pair<Time, std::uint32_t>>{{9, 0}});
    CHECK(bench.messages.earliest(0, Arrivals::kUsual) == kTimeInfinity);
}

TEST_CASE("few and many messages are sorted alike") {
    for (const Time count : {24, 25, 100}) {
        TwoRanks bench;
        std::vector<std::pair<Time, std::uint32_t>> sorted;
        for (Time time = 1; time <= count; ++time) {
            bench.write(static_cast<std::size_t>(time % 2), TwoRanks::header(0, count + 1 - time));
            sorted.emplace_back(time, 0);
        }
        CHECK(bench.read(count + 1) == sorted);
    }
}

TEST_CASE("another rank gets one batch with the messages of all threads, and all packets are counted") {
    Transport& transport = lookahead::test::test_transport();
    if (transport.rank() == 1) {
        CHECK(transport.receive(0).size() == 8 + 2 * sizeof(MessageHeader));
        CHECK(transport.receive(0).size() == 8);
    }
    if (transport.rank() != 0) { return; }
    TwoRanks bench;
    bench.messages.reserve_batch_headers(1);
    bench.write(0, TwoRanks::header(2, 8));
    bench.write(1, TwoRanks::header(2, 7));
    bench.messages.end_window();
    CHECK(bench.messages.batch(0).messages == 2);
    CHECK(least_of(bench.messages.take_sent()) == 7);
    CHECK(least_of(bench.messages.take_sent()) == kTimeInfinity);
    if (transport.size() == 1) { return; }
    const std::size_t bytes = bench.messages.batch(0).bytes.size();
    bench.messages.send(0, transport);
    const std::size_t empty = bench.messages.batch(0).bytes.size();
    CHECK(empty == bytes - 2 * sizeof(MessageHeader));
    CHECK(bench.statistics.null_messages == 0);
    bench.messages.send(0, transport);
    CHECK(bench.statistics.packets == 2);
    CHECK(bench.statistics.null_messages == 1);
    CHECK(bench.statistics.remote_messages == 2);
    CHECK(bench.statistics.remote_bytes == bytes + empty);
}

TEST_CASE("a message from another rank waits for its LP, or goes on to a further rank; its sender has counted it") {
    TwoRanks bench;
    bench.deliver(TwoRanks::header(0, 10), 10);
    CHECK(bench.messages.earliest(0, Arrivals::kUsual) == 10);
    CHECK_THROWS_AS(bench.deliver(TwoRanks::header(0, 9), 10), InternalError);
    bench.deliver(TwoRanks::header(2, 9), 10);
    CHECK(bench.messages.batch(0).messages == 1);
    CHECK(least_of(bench.messages.take_sent()) == kTimeInfinity);
    CHECK(bench.statistics.remote_messages + bench.messages.batch(0).messages == 0);
}
