#include <doctest/doctest.h>

#include <algorithm>
#include <new>

#include "core/transport/in_process/in_process_transport.h"
#include "tests/core/sync/wanderer.h"

using namespace lookahead;
using namespace lookahead::testing;

namespace {

constexpr Time kEpoch = 10'000;
constexpr std::size_t kProcesses = 13;

struct SimulationCheckpoint final : ProcessCheckpoints {
    Time time = 0;
    std::vector<ProcessCheckpoint> processes;  ///< in the order of their ids

    std::vector<LpId> ids() const override {
        std::vector<LpId> ids;
        for (const ProcessCheckpoint& process : processes) {
            ids.push_back(process.id);
        }
        return ids;
    }
    ProcessCheckpoint of(LpId id) const override { return *std::ranges::find(processes, id, &ProcessCheckpoint::id); }
};

/// Takes a checkpoint at every fourth epoch, which rank 0 has.
class Keeper final : public EpochObserver {
  public:
    explicit Keeper(Transport& transport) : transport_(transport) {}
    bool wants_checkpoint(const EpochReport& report) override { return report.index % 4 == 1; }
    void write_checkpoint(const EpochReport& report, const ProcessCheckpoints& local) override {
        SimulationCheckpoint& checkpoint = taken.emplace_back();
        checkpoint.time = report.time;
        gather_processes(transport_, local,
                         [&](const ProcessCheckpoint& process) { checkpoint.processes.push_back(process); });
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
        simulation.restore(from->time, *from);
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

TEST_CASE("an error of who takes the processes on rank 0 reaches the end of the run on every rank") {
    class Refuser final : public EpochObserver {
      public:
        bool wants_checkpoint(const EpochReport& report) override { return report.index == 1; }
        void write_checkpoint(const EpochReport&, const ProcessCheckpoints& local) override {
            gather_processes(test_transport(), local, [&](const ProcessCheckpoint& process) {
                ++taken;
                if (process.id == 3) {
                    throw InputError("no room for process 3");
                }
            });
        }
        std::size_t taken = 0;
    };
    Refuser refuser;
    const SimulationResult result = run({test_transport(), "window", false}, &refuser, nullptr);
    CHECK(result.outcome == Outcome::failed);
    CHECK(result.code == ExitCode::bad_input);
    CHECK(result.message == "no room for process 3");
    CHECK(refuser.taken == (test_transport().rank() == 0 ? 4 : 0));
}

TEST_CASE("a rank that cannot make the checkpoint of a process lets no other wait, and all get its error") {
    const int last = test_transport().size() - 1;
    struct Unable final : ProcessCheckpoints {
        std::vector<LpId> ids() const override {
            const auto first = static_cast<LpId>(3 * test_transport().rank());
            return {first, first + 1, first + 2};
        }
        ProcessCheckpoint of(LpId id) const override {
            if (id == 3 * static_cast<LpId>(test_transport().size() - 1) + 1) {
                throw std::bad_alloc();
            }
            ProcessCheckpoint result;
            result.id = id;
            return result;
        }
    };
    std::vector<LpId> taken;
    CHECK_THROWS_WITH_AS(gather_processes(test_transport(), Unable(),
                                          [&](const ProcessCheckpoint& process) { taken.push_back(process.id); }),
                         "std::bad_alloc", InternalError);
    CHECK(taken.size() == (test_transport().rank() == 0 ? static_cast<std::size_t>(3 * last + 1) : 0));
    test_transport().barrier();  // nothing of it is still under way
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
