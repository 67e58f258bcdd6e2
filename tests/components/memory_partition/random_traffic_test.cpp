// Fifteen requesters send random traffic to one partition: checks values, order and conservation.
#include <doctest/doctest.h>

#include "tests/components/memory_partition/partition_bench.h"
#include "tests/components/memory_partition/request_player.h"

namespace lookahead::gpu::test {
namespace {

struct Scenario {
    MemoryPartitionArguments arguments;
    PlayerOptions player;
};

/// All limits are small, so that each is reached all the time.
Scenario cramped(unsigned seed) {
    Scenario scenario;
    scenario.arguments.l2.sets = 4;
    scenario.arguments.l2.ways = 2;
    scenario.arguments.l2.mshrs = 6;
    scenario.arguments.l2.merges = 2;
    scenario.arguments.dram.queue_entries = 4;
    scenario.arguments.dram.return_entries = 5;
    scenario.arguments.crossbar.request_latency = 3;
    scenario.arguments.crossbar.reply_latency = 5;
    scenario.arguments.crossbar.input_entries = 1;
    scenario.arguments.crossbar.credit_batch = 3;
    scenario.arguments.crossbar.injection_flits = 4;
    scenario.arguments.dram_scheduler = seed % 2 == 0 ? "frfcfs" : "fcfs";
    scenario.arguments.l2.fetch_on_write = seed % 4 >= 2;
    scenario.arguments.l2.miss_queue = scenario.arguments.l2.fetch_on_write ? 3 : 2;
    scenario.arguments.l2.input_latency = seed % 5;
    scenario.arguments.l2.input_queue = 1 + seed % 3;
    scenario.arguments.l2.far_latency = seed / 2 % 2 * 7;
    scenario.player.seed = seed;
    scenario.player.requests = 300;
    scenario.player.lines = 40;
    scenario.player.outstanding = 20;
    scenario.player.idle_percent = seed % 3 * 40;
    return scenario;
}

/// The same with sectors in L2, and with two pseudo-channels and HBM's timing rules.
Scenario cramped_sectors(unsigned seed) {
    Scenario scenario = cramped(seed);
    scenario.arguments.l2.sector_bytes = 32;
    scenario.arguments.l2.fetch_on_write = false;
    scenario.player.sectors = true;
    scenario.arguments.dram.pseudo_channels = 2;
    scenario.arguments.dram.rrdl = 8;
    scenario.arguments.dram.faw = 30;
    scenario.arguments.dram.refresh_interval = 2000;
    return scenario;
}

Scenario ordinary(unsigned seed) {
    Scenario scenario;
    scenario.player.seed = seed;
    scenario.player.requests = 600;
    scenario.player.lines = 2500;  // more than the slices hold
    return scenario;
}

Configuration configuration_of(const Scenario& scenario) {
    Configuration configuration;
    if (scenario.arguments.dram.queue_entries < 16) {
        configuration.override_value("frfcfs.write_high=3");
        configuration.override_value("frfcfs.write_low=1");
    }
    return configuration;
}

struct Played {
    explicit Played(const Scenario& scenario)
        : bench(scenario.arguments, configuration_of(scenario), [&scenario](unsigned m) {
              PlayerOptions options = scenario.player;
              options.crossbar = scenario.arguments.crossbar;
              options.mapping = scenario.arguments.mapping;
              options.number = m;
              return std::make_unique<RequestPlayer>(options);
          }) {}
    RequestPlayer& player(unsigned m) { return static_cast<RequestPlayer&>(bench.process(1 + m)); }

    PartitionBench bench;
};

void check_players(Played& played, const Scenario& scenario) {
    std::map<std::uint64_t, std::vector<std::uint32_t>> counts;
    for (unsigned m = 0; m < scenario.arguments.requesters; ++m) {
        RequestPlayer& player = played.player(m);
        CHECK(player.sent() == scenario.player.requests);
        CHECK(player.answered() == scenario.player.requests);
        CHECK(player.mismatches() == 0);
        for (const auto& [line, values] : player.counter_values()) {
            CHECK(std::is_sorted(values.begin(), values.end()));
            counts[line].insert(counts[line].end(), values.begin(), values.end());
        }
    }
    // All requesters that added one to a line's counter saw different old values, from 0 on.
    for (auto& [line, values] : counts) {
        std::sort(values.begin(), values.end());
        for (std::uint32_t i = 0; i < values.size(); ++i) { REQUIRE(values[i] == i); }
    }
    CHECK(!counts.empty());
}

void check_credits(Played& played, const Scenario& scenario) {
    const unsigned all = credits_per_path(scenario.arguments.crossbar);
    for (unsigned m = 0; m < scenario.arguments.requesters; ++m) {
        for (unsigned s = 0; s < 2; ++s) {
            const L2Slice& slice = played.bench.partition().slice(s);
            CHECK(played.player(m).requests.credits(s) + slice.withheld_credits(m) == all);
            CHECK(slice.reply_credits(m) + played.player(m).replies.withheld_credits(s) == all);
        }
    }
}

TEST_CASE("random traffic of fifteen requesters gives program order's values, in order, and all credits come back") {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        for (const Scenario& scenario : {cramped(seed), cramped_sectors(seed), ordinary(seed)}) {
            CAPTURE(seed);
            CAPTURE(scenario.player.lines);
            Played played(scenario);
            played.bench.run();
            CHECK(played.bench.partition().finished());
            check_players(played, scenario);
            check_credits(played, scenario);
        }
    }
}

TEST_CASE("the cramped scenario meets every kind of stall and of miss") {
    for (const bool sectors : {false, true}) {
        CAPTURE(sectors);
        L2Counters sum;
        for (unsigned seed = 1; seed <= 4; ++seed) {
            Played played(sectors ? cramped_sectors(seed) : cramped(seed));
            played.bench.run();
            accumulate(sum, played.bench.partition().slice(0).counters());
            accumulate(sum, played.bench.partition().slice(1).counters());
        }
        for (std::size_t cause = 0; cause < kL2StallCauses; ++cause) {
            CAPTURE(cause);
            CHECK(sum.stall_cycles[cause] > 0);
        }
        CHECK(sum.partial_fetches > 0);
        CHECK(sum.merges > 0);
        CHECK(sum.write_backs > 0);
        CHECK(sum.read_hits > 0);
        CHECK(sum.reads > sum.read_hits);
        CHECK((sum.fetched_sectors < 3 * sum.fetches) == sectors);
        CHECK((sum.written_sectors < 4 * sum.write_backs) == sectors);
    }
}

TEST_CASE("another order of messages gives another state hash") {
    const Scenario scenario = cramped(3);
    Played a(scenario);
    a.bench.run();
    Scenario other = scenario;
    other.player.seed = 4;
    Played b(other);
    b.bench.run();
    CHECK(a.bench.state_hash() != b.bench.state_hash());
}

}  // namespace
}  // namespace lookahead::gpu::test
