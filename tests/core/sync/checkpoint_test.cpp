#include <doctest/doctest.h>

#include <algorithm>

#include "core/transport/in_process/in_process_transport.h"
#include "tests/core/sync/wanderer.h"

using namespace lookahead;
using namespace lookahead::testing;

namespace {

constexpr Time kEpoch = 10'000;
constexpr std::size_t kProcesses = 13;

/// Takes a checkpoint at every fourth epoch, which rank 0 has.
class Keeper final : public EpochObserver {
  public:
    explicit Keeper(Transport& transport) : transport_(transport) {}
    bool wants_checkpoint(const EpochReport& report) override { return report.index % 4 == 1; }
    void write_checkpoint(const EpochReport& report, const SimulationCheckpoint& local) override {
        CHECK(local.time == report.time);
        taken.push_back({local.time, gather_processes(transport_, local.processes)});
    }
    std::vector<SimulationCheckpoint> taken;

  private:
    Transport& transport_;
};

struct Conduct {
    Transport& transport;
    std::string sync;
    bool linear;
};

SimulationResult run(const Conduct& conduct, EpochObserver* observer, const SimulationCheckpoint* from) {
    const Model model = make_wanderers({});
    Simulation simulation(model, spread(kProcesses, conduct.transport.size(), conduct.linear), conduct.transport,
                          {.sync = conduct.sync, .epoch_length = kEpoch, .observer = observer});
    if (from != nullptr) {
        simulation.restore(*from);
    }
    return simulation.run();
}

void check_same(const SimulationResult& result, const SimulationResult& expected) {
    CHECK(result.outcome == expected.outcome);
    CHECK(result.state_hash == expected.state_hash);
    CHECK(result.end_time == expected.end_time);
    CHECK(result.progress == expected.progress);
}

/// What a serial run gives, on every rank.
struct Recorded {
    InProcessTransport alone;
    Keeper keeper{alone};
    SimulationResult whole = run({alone, "serial", true}, &keeper, nullptr);
};

}  // namespace

TEST_CASE("a run goes on from an epoch under another protocol and partition, and ends as if it had not stopped") {
    Recorded recorded;
    REQUIRE(recorded.whole.outcome == Outcome::finished);
    REQUIRE(recorded.keeper.taken.size() > 2);
    CHECK(recorded.keeper.taken.back().time < recorded.whole.end_time);  // none at the end
    for (const SimulationCheckpoint& checkpoint : recorded.keeper.taken) {
        check_same(run({test_transport(), "window", false}, nullptr, &checkpoint), recorded.whole);
        check_same(run({test_transport(), "null_message", true}, nullptr, &checkpoint), recorded.whole);
    }
}

TEST_CASE("checkpoints that several ranks take hold what one rank's do") {
    Recorded recorded;
    Keeper keeper(test_transport());
    run({test_transport(), "window", false}, &keeper, nullptr);
    REQUIRE(keeper.taken.size() == recorded.keeper.taken.size());
    if (test_transport().rank() != 0) {
        return;
    }
    for (std::size_t i = 0; i < keeper.taken.size(); ++i) {
        const auto hashes = [](const SimulationCheckpoint& checkpoint) {
            std::vector<std::uint64_t> all;
            for (const ProcessCheckpoint& each : checkpoint.processes) {
                all.push_back(each.state_hash);
            }
            return all;
        };
        CHECK(hashes(keeper.taken[i]) == hashes(recorded.keeper.taken[i]));
        check_same(run({recorded.alone, "serial", true}, nullptr, &keeper.taken[i]), recorded.whole);
    }
}

TEST_CASE("a checkpoint that does not fit is refused on every rank") {
    const Recorded recorded;
    const auto refused = [&](auto damage) {
        SimulationCheckpoint damaged = recorded.keeper.taken[1];
        damage(damaged);
        CHECK_THROWS_AS(run({test_transport(), "window", false}, nullptr, &damaged), InputError);
    };
    const auto waiting = [](SimulationCheckpoint& checkpoint) -> ProcessCheckpoint& {
        return *std::ranges::find_if(checkpoint.processes, [](const auto& each) { return !each.messages.empty(); });
    };
    refused([](SimulationCheckpoint& checkpoint) { checkpoint.processes.pop_back(); });
    refused([](SimulationCheckpoint& checkpoint) { checkpoint.processes[3].id = 4; });
    refused([](SimulationCheckpoint& checkpoint) { checkpoint.processes[5].state.pop_back(); });
    refused([](SimulationCheckpoint& checkpoint) { checkpoint.processes[5].state += ' '; });
    refused([](SimulationCheckpoint& checkpoint) { ++checkpoint.processes[5].traffic_hash; });
    refused([&](SimulationCheckpoint& checkpoint) { waiting(checkpoint).messages.pop_back(); });
    refused([](SimulationCheckpoint& checkpoint) { ++checkpoint.processes[2].state_hash; });
}
