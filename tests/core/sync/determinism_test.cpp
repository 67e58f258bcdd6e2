#include <doctest/doctest.h>

#include <numeric>

#include "core/phold/phold.h"
#include "core/phold/window_benchmark.h"
#include "core/transport/in_process/in_process_transport.h"
#include "tests/core/sync/wanderer.h"

using namespace lookahead;
using namespace lookahead::test;

namespace {

struct Run {
    SimulationResult result;
    std::vector<EpochReport> epochs;
};

/// With a linear partition ranks always use half windows if possible, else only if they are quicker. For one of two
/// seeds batches go in rounds even between few ranks.
Run run(const WandererOptions& options, Transport& transport, const std::string& sync, bool linear, Time epoch) {
    EpochLog log;
    const SimulationResult result = run_over(transport, make_wanderers(options),
                                             {.sync = sync,
                                              .epoch_length = epoch,
                                              .observer = &log,
                                              .halves_always = linear,
                                              .rounds_always = options.seed % 2 == 0},
                                             linear);
    return {result, log.reports};
}

}  // namespace

TEST_CASE("results and epochs do not depend on ranks, partition and protocol") {
    for (std::uint64_t seed = 1; seed <= 7; ++seed) {
        WandererOptions options{.seed = seed,
                                .processes = 5 + static_cast<unsigned>(seed * 7 % 23),
                                .hops = 30,
                                .longest_lookahead = seed % 3 == 0 ? 200 : 5000};
        options.kinds = 1 + static_cast<unsigned>(seed % 4) * 3;  // more kinds than the engine distinguishes, at most
        options.kind_lookahead = 700;
        options.two_sides = seed > 5;
        if (options.two_sides) { options.kinds = static_cast<unsigned>(seed % 3 + 1) * 2; }
        const Time epoch = seed % 2 == 0 ? 10'000 : 7'777;
        InProcessTransport alone;
        const Run serial = run(options, alone, "serial", true, epoch);
        REQUIRE(serial.result.outcome == Outcome::finished);
        REQUIRE(serial.result.progress == options.processes * options.letters * (options.hops + 1));
        for (const std::string& sync : test::variants_of("sync", {"serial"})) {
            for (const bool linear : {true, false}) {
                CAPTURE(seed);
                CAPTURE(sync);
                CAPTURE(linear);
                const Run parallel = run(options, test_transport(), sync, linear, epoch);
                CAPTURE(parallel.result.message);
                REQUIRE(parallel.result.outcome == Outcome::finished);
                check_same(parallel.result, serial.result);
                CHECK(same(parallel.epochs, serial.epochs));
            }
        }
    }
}

TEST_CASE("the hash tells runs with different seeds apart") {
    InProcessTransport alone;
    WandererOptions options;
    const Run first = run(options, alone, "serial", true, 10'000);
    options.seed = 2;
    const Run second = run(options, alone, "serial", true, 10'000);
    CHECK(first.result.state_hash != second.result.state_hash);
    CHECK(first.epochs.back().traffic_hash != second.epochs.back().traffic_hash);
}

TEST_CASE("more ranks than processes do no harm") {
    WandererOptions options{.processes = 2};
    InProcessTransport alone;
    const Run serial = run(options, alone, "serial", true, 10'000);
    for (const std::string& sync : parallel_protocols()) {
        CHECK(run(options, test_transport(), sync, false, 10'000).result.state_hash == serial.result.state_hash);
    }
}

/// Checks that each protocol gives, with each of the partitions, what one rank gives, which is returned.
PholdResult check_phold(PholdOptions options, const std::vector<std::string>& partitions = {"linear", "round_robin"}) {
    InProcessTransport alone;
    const PholdResult serial = run_phold(options, alone, "serial");
    for (const std::string& sync : parallel_protocols()) {
        for (const std::string& partition : partitions) {
            options.partition = partition;
            const PholdResult parallel = run_phold(options, test_transport(), sync);
            CHECK(parallel.state_hash == serial.state_hash);
            CHECK(parallel.events == serial.events);
        }
    }
    return serial;
}

TEST_CASE("PHOLD gives one hash over queues, ranks, protocols and partitions, for all payloads") {
    for (const unsigned payload : phold_payloads()) {
        PholdOptions options{
            .lps = 64, .events = 8, .remote = 0.4, .payload = payload, .duration = 20, .queue = "wheel"};
        const PholdResult wheel = check_phold(options);
        CHECK(wheel.events > 64 * 8 * 8);
        CHECK(wheel.events < 64 * 8 * 12);  // one event in 2 units of time
        options.queue = "heap";
        CHECK(check_phold(options).state_hash == wheel.state_hash);
    }
}

TEST_CASE("windows jump over idle time") {
    // Single letters that rest 1000 times longer than the lookahead, after a long idle time: steps of one lookahead
    // would need millions of windows.
    WandererOptions options{.processes = 4,
                            .letters = 1,
                            .hops = 20,
                            .longest_lookahead = 10,
                            .usual_delay = 10'000,
                            .first = 1'000'000'000'000};
    InProcessTransport alone;
    const Run serial = run(options, alone, "serial", true, 1'000'000);
    for (const std::string& sync : parallel_protocols()) {
        const Run parallel = run(options, test_transport(), sync, false, 1'000'000);
        CHECK(parallel.result.state_hash == serial.result.state_hash);
        const std::uint64_t events = parallel.result.progress;
        for (const EngineStatistics& rank : parallel.result.per_rank) {
            CHECK(rank.windows <= 3 * events);
            CHECK(rank.packets <= 20 * events);
        }
    }
    CHECK(serial.epochs.size() < 10);
}

TEST_CASE("statistics count what crossed ranks, once on each side") {
    WandererOptions options;
    for (const std::string& sync : parallel_protocols()) {
        const Run parallel = run(options, test_transport(), sync, false, 10'000);
        REQUIRE(parallel.result.per_rank.size() == static_cast<std::size_t>(test_transport().size()));
        std::uint64_t delivered = 0;
        std::uint64_t remote = 0;
        for (const EngineStatistics& rank : parallel.result.per_rank) {
            delivered += rank.events;
            remote += rank.remote_messages;
            CHECK(rank.packets >= rank.null_messages);
            const auto windows = std::reduce(rank.window_lengths.begin(), rank.window_lengths.end());
            // Events that a rank has already run leave nothing of a window.
            CHECK(windows <= rank.windows);
            CHECK(2 * windows > rank.windows);
        }
        // Every letter is delivered once per hop.
        CHECK(delivered == options.processes * options.letters * options.hops);
        CHECK((remote > 0) == (test_transport().size() > 1));
        CHECK(remote < delivered);
    }
}

TEST_CASE("no pair of ranks exchanges more than one packet in a window") {
    WandererOptions options;
    const Run parallel = run(options, test_transport(), "window", false, 10'000);
    // Up to four ranks exchange directly, more in rounds: five to eight ranks send three packets.
    constexpr std::uint64_t kPackets[] = {0, 0, 1, 2, 3, 3, 3, 3, 3};
    REQUIRE(test_transport().size() <= 8);
    for (const EngineStatistics& rank : parallel.result.per_rank) {
        CHECK(rank.packets == rank.windows * kPackets[test_transport().size()]);
    }
}

TEST_CASE(
    "several ranks with much to do may halve their steps, but not while windows are logged, nor with little to do") {
    const auto windows_of = [](const WandererOptions& options, bool logged) {
        const SimulationResult result =
            run_over(test_transport(), make_wanderers(options),
                     {.sync = "window", .epoch_length = 1'000'000, .halves_always = true, .log_windows = logged}, true);
        REQUIRE(result.outcome == Outcome::finished);
        return result.per_rank.front().windows;
    };
    WandererOptions busy{.processes = 24, .letters = 40, .hops = 20, .least_lookahead = 2000};
    if (test_transport().size() > 1) {
        CHECK(2 * windows_of(busy, false) > 3 * windows_of(busy, true));
    } else {
        CHECK(windows_of(busy, false) == windows_of(busy, true));
    }
    WandererOptions idle{.processes = 16, .letters = 1, .usual_delay = 100'000};
    CHECK(windows_of(idle, false) == windows_of(idle, true));
}

TEST_CASE("PHOLD with unequal lookaheads gives one hash") {
    PholdOptions options{.lps = 60, .events = 4, .remote = 0.5, .duration = 30};
    for (options.kinds = 1; options.kinds <= 7; ++options.kinds) {
        CAPTURE(options.kinds);
        check_phold(options);
    }
}

TEST_CASE("batches beyond the posted buffers arrive whole") {
    PholdOptions options{.lps = 256, .events = 128, .remote = 1, .payload = 256, .duration = 3};
    check_phold(options, {options.partition});
}

TEST_CASE("the window benchmark runs") {
    for (const std::string& sync : parallel_protocols()) {
        const WindowBenchmarkResult result = benchmark_windows(500, test_transport(), sync);
        CHECK(result.windows > 0);
        CHECK(result.microseconds_per_window > 0);
    }
}
