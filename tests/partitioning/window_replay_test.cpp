#include "partitioning/placement/window_replay.h"

#include <doctest/doctest.h>

#include <vector>

#include "core/error/error.h"
#include "core/json/json.h"
#include "partitioning/placement/speedup_prediction.h"
#include "tests/partitioning/free_cluster.h"

using namespace lookahead;
using lookahead::test::free_cluster;

namespace {

/// Two windows of three LPs.
const std::vector<std::uint32_t> kNanoseconds{100, 200, 50, 10, 0, 400};
const std::vector<std::uint64_t> kMessages{0, 7, 3, 0, 0, 2, 1, 0, 9};
const LoggedWindows kLog{kNanoseconds, kMessages, 3};
const std::vector<int> kOnTwo{0, 0, 1};

double nanoseconds(const Cluster& cluster, std::span<const int> rank_of_lp, const LoggedWindows& log = kLog,
                   bool halves = false) {
    return WindowReplay(log, rank_of_lp, cluster).run(halves).seconds * 1e9;
}

}  // namespace

TEST_CASE("a replay takes the slowest rank of each window") {
    const WindowReplay replay(kLog, kOnTwo, free_cluster(2, 1, 1));
    CHECK(replay.work() == doctest::Approx(760e-9));
    CHECK(replay.critical_path() == doctest::Approx(300e-9 + 400e-9));
    CHECK(replay.run(false).seconds == doctest::Approx(700e-9));
    CHECK(replay.run(false).compute == doctest::Approx(450e-9));
    CHECK(nanoseconds(free_cluster(1, 1, 1), std::vector<int>{0, 0, 0}) == doctest::Approx(760));
    CHECK_THROWS_AS(WindowReplay(kLog, std::vector<int>{0, 1}, free_cluster(2, 1, 1)), InternalError);
}

TEST_CASE("a replayed rank looks through its processes, writes and takes out messages, sends and receives packets") {
    Cluster cluster = free_cluster(2, 1, 1);
    cluster.process_ns = 1;
    CHECK(nanoseconds(cluster, kOnTwo) == doctest::Approx(302 + 401));
    cluster = free_cluster(2, 1, 1);
    cluster.packet_us = 0.003;
    CHECK(nanoseconds(cluster, kOnTwo) == doctest::Approx(700 + 2 * 6));
    cluster.local_latency_us = 0.02;
    CHECK(nanoseconds(cluster, kOnTwo) == doctest::Approx(700 + 2 * 26));
    cluster.latency_us = 1;  // there is no second node
    CHECK(nanoseconds(cluster, kOnTwo) == doctest::Approx(700 + 2 * 26));
    cluster.nodes = 2;
    CHECK(nanoseconds(cluster, kOnTwo) == doctest::Approx(700 + 2 * 1006));

    // Six messages pass between the ranks: rank 0 computes for 300 / 310 of them in the first window, rank 1 for 400 /
    // 450 in the second.
    cluster = free_cluster(2, 1, 1);
    cluster.message_ns = 5;
    CHECK(nanoseconds(cluster, kOnTwo) == doctest::Approx(300 + 30 * 300. / 310 + 400 + 30 * 400. / 450));
    cluster = free_cluster(2, 2, 1);
    cluster.message_bytes = 100;
    cluster.gigabytes_per_s = 1;  // three messages each way, during part of the computing; 1 ns per byte
    CHECK(nanoseconds(cluster, kOnTwo) == doctest::Approx(300 + 300 * 300. / 310 + 400 + 300 * 400. / 450));
}

TEST_CASE("a replayed rank's threads take the process with most work first, where that is sooner than one thread") {
    const std::vector<int> one{0, 0, 0};
    CHECK(nanoseconds(free_cluster(1, 1, 2), one) == doctest::Approx(200 + 400));  // 200 beside 100 + 50; 400 beside 10
    Cluster cluster = free_cluster(1, 1, 2);
    cluster.share_us = 0.009;
    CHECK(nanoseconds(cluster, one) == doctest::Approx(209 + 409));
    cluster.share_us = 0.011;  // one thread is quicker in the second window
    CHECK(nanoseconds(cluster, one) == doctest::Approx(211 + 410));
    cluster.share_us = 0;
    cluster.slowdown = 1.01;
    CHECK(nanoseconds(cluster, one) == doctest::Approx(202 + 404));
    CHECK(WindowReplay(kLog, one, cluster).run(false).shared_windows == 2);
}

TEST_CASE("where an epoch ends all replayed ranks wait for all, and look through their processes") {
    const std::vector<std::uint32_t> work(8, 100);
    const std::vector<std::uint64_t> none(16, 0);
    const std::vector<std::uint8_t> epochs{0, 1};
    const LoggedWindows log{work, none, 4, epochs};
    const std::vector<int> ranks{0, 1, 2, 3};
    Cluster cluster = free_cluster(4, 2, 1);
    CHECK(nanoseconds(cluster, ranks, log) == doctest::Approx(200));
    cluster.process_ns = 1;  // in two windows, and between them
    CHECK(nanoseconds(cluster, ranks, log) == doctest::Approx(200 + 3));
    cluster.process_ns = 0;
    cluster.local_latency_us = 0.01;
    cluster.latency_us = 1;  // by doubling: once within nodes, once between them; and twice for all with all
    CHECK(nanoseconds(cluster, ranks, log) == doctest::Approx(200 + 1010 + 2 * 1000));
    cluster = free_cluster(4, 2, 1);
    cluster.packet_us = 0.001;
    const double without = nanoseconds(cluster, ranks, {work, none, 4});
    CHECK(nanoseconds(cluster, ranks, log) == doctest::Approx(without + 4));
    const std::vector<std::uint8_t> wrong{0};
    CHECK_THROWS_AS(WindowReplay({work, none, 4, wrong}, ranks, cluster), InternalError);
}

TEST_CASE("a core is slowed down where ranks share a node") {
    Cluster cluster = free_cluster(2, 1, 1);
    cluster.rank_slowdown = 2;
    CHECK(nanoseconds(cluster, kOnTwo) == doctest::Approx(1400));
    cluster.nodes = 2;
    CHECK(nanoseconds(cluster, kOnTwo) == doctest::Approx(700));
    cluster.nodes = 1;
    cluster.slowdown = 3;  // of threads; a rank has one
    CHECK(nanoseconds(cluster, kOnTwo) == doctest::Approx(1400));
    cluster.threads = 2;  // rank 0's 100 and 200 in parallel, rank 1's one process as before
    cluster.slowdown = 1.25;
    CHECK(nanoseconds(cluster, kOnTwo) == doctest::Approx(2 * 200 * 1.25 + 2 * 400));
}

TEST_CASE("a rank that goes by halves is half a window ahead of what it has seen") {
    // Rank 0 has more work in the first window, rank 1 in the second: whole windows take the longer time of each.
    const std::vector<std::uint32_t> work{300, 100, 100, 300};
    const std::vector<std::uint64_t> no_messages(4, 0);
    const LoggedWindows log{work, no_messages, 2};
    const std::vector<int> ranks{0, 1};
    Cluster cluster = free_cluster(2, 2, 1);
    CHECK(nanoseconds(cluster, ranks, log, false) == doctest::Approx(600));
    // Rank 1 begins the third half at 150, when rank 0 has done the first: it ends at 300. The fourth needs rank 0's
    // second half and ends at 450.
    CHECK(nanoseconds(cluster, ranks, log, true) == doctest::Approx(450));
    cluster.half_work = 2;
    CHECK(nanoseconds(cluster, ranks, log, true) == doctest::Approx(900));
    CHECK_FALSE(predict_speedup(log, ranks, cluster).halves);
    cluster.half_work = 1;
    CHECK(predict_speedup(log, ranks, cluster).halves);
    CHECK(predict_speedup(log, ranks, cluster).speedup() == doctest::Approx(800. / 450));

    // With one of three LPs idle in each window, more than half have work. With two of three idle there are no halves.
    const std::vector<int> three{0, 0, 1};
    const std::vector<std::uint32_t> idle{300, 0, 100, 100, 0, 300};
    const std::vector<std::uint64_t> none(9, 0);
    CHECK(nanoseconds(cluster, three, {idle, none, 3}, true) == doctest::Approx(450));
    const std::vector<std::uint32_t> idler{300, 0, 0, 100, 0, 300};
    CHECK(nanoseconds(cluster, three, {idler, none, 3}, true) == doctest::Approx(600));
}

TEST_CASE("more than four replayed ranks exchange in rounds, and messages are passed on") {
    const int ranks = 8;
    const std::vector<std::uint32_t> work(8, 100);
    std::vector<std::uint64_t> messages(64, 0);
    messages[0 * 8 + 7] = 4;  // through ranks 1 and 3
    const LoggedWindows log{work, messages, 8};
    const std::vector<int> each{0, 1, 2, 3, 4, 5, 6, 7};
    Cluster cluster = free_cluster(ranks, 8, 1);
    cluster.latency_us = 1;
    CHECK(nanoseconds(cluster, each, log) == doctest::Approx(100 + 3 * 1000));
    CHECK(WindowReplay(log, each, cluster).run(false).packets == 3);
    cluster.packet_us = 0.01;
    CHECK(nanoseconds(cluster, each, log) == doctest::Approx(100 + 3 * 1020));
    cluster = free_cluster(ranks, 8, 1);
    cluster.message_ns = 5;
    CHECK(WindowReplay(log, each, cluster).run(false).messages ==
          doctest::Approx(8 * 5e-9));  // ranks 1 and 3: in and out

    // Four ranks exchange directly: one packet for each other rank.
    const std::vector<std::uint32_t> four(4, 100);
    const std::vector<std::uint64_t> none(16, 0);
    cluster = free_cluster(4, 4, 1);
    cluster.latency_us = 1;
    cluster.packet_us = 0.01;
    CHECK(nanoseconds(cluster, std::vector<int>{0, 1, 2, 3}, {four, none, 4}) == doctest::Approx(100 + 30 + 1000 + 30));
}

TEST_CASE("a prediction is written for reading, and for programs") {
    const SpeedupPrediction prediction = predict_speedup(kLog, kOnTwo, free_cluster(2, 1, 1));
    CHECK(prediction.one_core_seconds == doctest::Approx(760e-9));
    CHECK(prediction.speedup() == doctest::Approx(760. / 700).epsilon(0.2));
    CHECK(prediction.text().find("2 ranks on 1 nodes, 1 threads each; 2 windows") != std::string::npos);
    const Json object = Json::parse(prediction.json());
    CHECK(object.at("windows").text() == "2");
}
