#include "partitioning/placement/step_replay.h"

#include <doctest/doctest.h>

#include <vector>

#include "core/error/error.h"
#include "partitioning/placement/speedup_prediction.h"
#include "tests/partitioning/free_cluster.h"

using namespace lookahead;
using testing::free_cluster;

namespace {

/// Two windows of three SMs and what they speak to.
const std::vector<std::uint32_t> kStepNanoseconds{100, 100, 100, 30, 100, 100, 100, 30};
const std::vector<std::uint64_t> kNoMessages(16, 0);
const LoggedWindows kSteps{kStepNanoseconds, kNoMessages, 4};
const std::vector<std::uint8_t> kSides{1, 1, 1, 0};
const std::vector<int> kTogether{0, 0, 0, 0};

double steps_take(const Cluster& cluster, std::span<const int> rank_of_lp, const LoggedWindows& log = kSteps,
                  std::span<const std::uint8_t> sides = kSides) {
    return StepReplay(log, rank_of_lp, sides, cluster).run().seconds * 1e9;
}

}  // namespace

TEST_CASE("threads go on to the next step while SMs are left in this one") {
    CHECK(steps_take(free_cluster(1, 1, 1), kTogether) == doctest::Approx(660));
    // Two threads: 30 + 100, 100 + 100 in the first step; the first goes on with an SM at 130, when the third is still
    // to be taken. By windows each would take 200.
    CHECK(steps_take(free_cluster(1, 1, 2), kTogether) == doctest::Approx(330));
    CHECK(WindowReplay(kSteps, kTogether, free_cluster(1, 1, 2)).run(false).seconds * 1e9 == doctest::Approx(400));
    // As many threads as LPs: the SMs' next step follows the first at once.
    CHECK(steps_take(free_cluster(1, 1, 4), kTogether) == doctest::Approx(200));
}

TEST_CASE("what each LP, each step and each core costs is counted") {
    Cluster cluster = free_cluster(1, 1, 1);
    cluster.process_ns = 1;
    CHECK(steps_take(cluster, kTogether) == doctest::Approx(660 + 8));
    cluster.share_us = 0.01;
    CHECK(steps_take(cluster, kTogether) == doctest::Approx(660 + 8 + 4 * 10));
    cluster = free_cluster(1, 1, 2);
    cluster.slowdown = 2;
    CHECK(steps_take(cluster, kTogether) == doctest::Approx(660));
    cluster.step_work = 1.5;
    CHECK(steps_take(cluster, kTogether) == doctest::Approx(990));
}

TEST_CASE("the first step of an epoch waits for all of the one before, and for what ranks tell each other at its end") {
    const std::vector<std::uint8_t> epochs{0, 1};
    const LoggedWindows log{kStepNanoseconds, kNoMessages, 4, epochs};
    CHECK(steps_take(free_cluster(1, 1, 2), kTogether) == doctest::Approx(330));
    CHECK(steps_take(free_cluster(1, 1, 2), kTogether, log) == doctest::Approx(400));

    const std::vector<std::uint32_t> work{100, 50, 100, 50};
    const std::vector<std::uint64_t> none(4, 0);
    const LoggedWindows apart{work, none, 2, epochs};
    const std::vector<int> ranks{0, 1};
    const std::vector<std::uint8_t> sides{1, 0};
    Cluster cluster = free_cluster(2, 2, 1);
    CHECK(steps_take(cluster, ranks, apart, sides) == doctest::Approx(200));
    cluster.latency_us = 1;
    // The SM's first step is known at 1100; after two more exchanges its second takes 100, and is told.
    CHECK(steps_take(cluster, ranks, apart, sides) == doctest::Approx(1100 + 2 * 1000 + 100 + 1000));
}

TEST_CASE("an SM's next step waits for the other side on all ranks, and that for all SMs") {
    const std::vector<std::uint32_t> work{100, 50, 100, 50};
    const std::vector<std::uint64_t> none(4, 0);
    const LoggedWindows log{work, none, 2};
    const std::vector<int> ranks{0, 1};
    const std::vector<std::uint8_t> sides{1, 0};
    Cluster cluster = free_cluster(2, 2, 1);
    cluster.latency_us = 1;
    // The SM's second step begins at 1050 and is told at 1150; the other's begins at 1100. What was told comes a
    // latency later.
    CHECK(steps_take(cluster, ranks, log, sides) == doctest::Approx(2150));
    cluster.nodes = 1;
    CHECK(steps_take(cluster, ranks, log, sides) == doctest::Approx(200));
    cluster.packet_us =
        0.01;  // at 110 the SM's step has been sent, at 120 it was taken in; at 180 the other's second is sent, too
    CHECK(StepReplay(log, ranks, sides, cluster).run().packets == 4);
    CHECK(steps_take(cluster, ranks, log, sides) > 220);
    CHECK_THROWS_AS(StepReplay(log, ranks, std::vector<std::uint8_t>{1}, cluster), InternalError);
}

TEST_CASE("a prediction by steps says so") {
    const SpeedupPrediction steps = predict_speedup(kSteps, kTogether, free_cluster(1, 1, 2), kSides);
    CHECK(steps.speedup() == doctest::Approx(2));
    CHECK(steps.text().find("each side's step begins when the other's previous one is known") != std::string::npos);
    CHECK(steps.json().find("\"protocol\": \"staggered\"") != std::string::npos);
    CHECK(predict_speedup(kSteps, kTogether, free_cluster(1, 1, 2)).json().find("\"protocol\": \"window\"") !=
          std::string::npos);
}

TEST_CASE("a log's windows become steps of a length at most, with their share of the work") {
    constexpr Time kEpoch = 1000;
    // 10 long, then 6, then idle from then on up to 60, then the last.
    const WindowLog log{
        .start = {0, 10, 16, 60}, .nanoseconds = {100, 10, 60, 12, 50, 9, 40, 10}, .messages = {1, 2, 3, 4}};
    const auto steps = [&](Time longest, Time epoch) { return staggered_steps(log, 2, longest, epoch); };
    // 0-5, 5-10, 10-15, the last of the second and four of the third window's five, the rest of that, and the last.
    CHECK(steps(5, kEpoch).start == std::vector<Time>{0, 5, 10, 15, 20, 60});
    CHECK(steps(5, kEpoch).nanoseconds == std::vector<std::uint32_t>{50, 5, 50, 5, 50, 10, 50, 9, 10, 2, 40, 10});
    CHECK(steps(5, kEpoch).messages == log.messages);
    // The second begins at 8 in a window of 10, the third in one of 6.
    CHECK(steps(8, kEpoch).start == std::vector<Time>{0, 8, 16, 60});
    CHECK(steps(8, kEpoch).nanoseconds == std::vector<std::uint32_t>{80, 8, 80, 14, 50, 9, 40, 10});
    CHECK(steps(50, kEpoch).start == log.start);
    CHECK(steps(kTimeInfinity, kEpoch).nanoseconds == log.nanoseconds);
    // An epoch begins with each window: the second's work is not in the step that is left of the first.
    const WindowLog epochs{.start = {0, 12, 24}, .nanoseconds = {120, 240, 60}, .messages = {0}};
    const WindowLog apart = staggered_steps(epochs, 1, 8, 12);
    CHECK(apart.start == std::vector<Time>{0, 8, 12, 20, 24});
    CHECK(apart.nanoseconds == std::vector<std::uint32_t>{80, 40, 160, 80, 60});
    // Of several ranks' windows one may begin where the one before did.
    const WindowLog twice{.start = {0, 0, 5}, .nanoseconds = {7, 50, 60}, .messages = {0}};
    CHECK(staggered_steps(twice, 1, 8, kEpoch).start == std::vector<Time>{0, 0, 5});
    CHECK(staggered_steps(twice, 1, 8, kEpoch).nanoseconds == twice.nanoseconds);
}
