#include <doctest/doctest.h>

#include <new>

#include "core/transport/in_process/in_process_transport.h"
#include "tests/core/sync/wanderer.h"

using namespace lookahead;
using namespace lookahead::test;

namespace {

constexpr Time kEpoch = 10'000;
constexpr std::size_t kProcesses = 13;

struct SavedProcess : ProcessCheckpoint {
    std::string state;
};

struct SimulationCheckpoint final : SavedProcesses, ProcessTaker {
    Time time = 0;
    std::vector<SavedProcess> processes;  ///< in the order of their ids

    std::vector<LpId> ids() const override {
        std::vector<LpId> ids;
        for (const SavedProcess& process : processes) { ids.push_back(process.id); }
        return ids;
    }
    ProcessCheckpoint process(LpId id) const override { return saved(id); }
    ByteSource state(LpId id) const override { return source_of(saved(id).state); }

    void begin(const ProcessCheckpoint& process) override { processes.push_back({process, {}}); }
    void add_state(std::string_view piece) override { processes.back().state += piece; }

  private:
    const SavedProcess& saved(LpId id) const { return *std::ranges::find(processes, id, &SavedProcess::id); }
};

/// Takes a checkpoint at every fourth epoch and keeps it on rank 0.
class Keeper final : public EpochObserver {
  public:
    explicit Keeper(Transport& transport) : transport_(transport) {}
    bool wants_checkpoint(const EpochReport& report) override { return report.index % 4 == 1; }
    void write_checkpoint(const EpochReport& report, const RunningProcesses& local) override {
        SimulationCheckpoint& checkpoint = taken.emplace_back();
        checkpoint.time = report.time;
        gather_processes(transport_, local, transport_.rank() == 0 ? &checkpoint : nullptr);
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
    if (from != nullptr) { simulation.restore(from->time, *from); }
    return simulation.run();
}

/// The result of a serial run, on every rank.
struct Recorded {
    InProcessTransport alone;
    Keeper keeper{alone};
    SimulationResult whole = run({alone, "serial", true}, &keeper, nullptr);
};

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
    if (test_transport().rank() != 0) { return; }
    for (std::size_t i = 0; i < keeper.taken.size(); ++i) {
        const auto hashes = [](const SimulationCheckpoint& checkpoint) {
            std::vector<std::uint64_t> all;
            for (const SavedProcess& each : checkpoint.processes) { all.push_back(each.state_hash); }
            return all;
        };
        CHECK(hashes(keeper.taken[i]) == hashes(recorded.keeper.taken[i]));
        check_same(run({recorded.alone, "serial", true}, nullptr, &keeper.taken[i]), recorded.whole);
    }
}

/// Accepts the processes before a given one, and a limited number of pieces of each state.
struct Taker final : ProcessTaker {
    Taker(LpId full, std::size_t room) : full_process(full), pieces_of_each(room) {}

    void begin(const ProcessCheckpoint& process) override {
        taken.push_back(process.id);
        pieces = 0;
        if (process.id == full_process) { throw InputError("no room for process " + std::to_string(process.id)); }
    }
    void add_state(std::string_view piece) override {
        bytes += piece.size();
        if (++pieces > pieces_of_each) { throw InputError("no room for piece " + std::to_string(pieces)); }
    }

    static constexpr LpId kNone = ~LpId{0};
    LpId full_process;
    std::size_t pieces_of_each;
    std::vector<LpId> taken;
    std::size_t pieces = 0;
    std::size_t bytes = 0;
};

/// Three processes per rank, with states of three pieces. The last rank's second process fails from a given piece on.
struct Processes final : RunningProcesses {
    static constexpr std::size_t kPieceBytes = 100;
    static constexpr std::size_t kPieces = 3;

    explicit Processes(std::size_t pieces_of_last = kPieces) : pieces_of_last_(pieces_of_last) {}

    static LpId last() { return 3 * static_cast<LpId>(test_transport().size() - 1) + 1; }

    std::vector<LpId> ids() const override {
        const auto first = static_cast<LpId>(3 * test_transport().rank());
        return {first, first + 1, first + 2};
    }
    ProcessCheckpoint process(LpId id) const override {
        ProcessCheckpoint result;
        result.id = id;
        return result;
    }
    void save_state(LpId id, const ByteSink& sink) const override {
        for (std::size_t piece = 0; piece < kPieces; ++piece) {
            if (id == last() && piece == pieces_of_last_) { throw std::bad_alloc(); }
            sink(std::string(kPieceBytes, 'x'));
        }
    }

  private:
    std::size_t pieces_of_last_;
};

void gather(const RunningProcesses& local, Taker& taker) {
    gather_processes(test_transport(), local, test_transport().rank() == 0 ? &taker : nullptr);
}

bool is_first() {
    return test_transport().rank() == 0;
}

}  // namespace

TEST_CASE("rank 0 takes all processes in the order of their ids, each with all pieces of its state") {
    Taker taker(Taker::kNone, Processes::kPieces);
    gather(Processes(), taker);
    const auto count = static_cast<std::size_t>(is_first() ? 3 * test_transport().size() : 0);
    CHECK(taker.taken.size() == count);
    CHECK(std::ranges::is_sorted(taker.taken));
    CHECK(taker.bytes == count * Processes::kPieces * Processes::kPieceBytes);
}

TEST_CASE("an error of who takes the processes on rank 0 reaches the end of the run on every rank") {
    class Refuser final : public EpochObserver {
      public:
        bool wants_checkpoint(const EpochReport& report) override { return report.index == 1; }
        void write_checkpoint(const EpochReport&, const RunningProcesses& local) override { gather(local, taker); }
        Taker taker{3, Processes::kPieces};
    };
    Refuser refuser;
    const SimulationResult result = run({test_transport(), "window", false}, &refuser, nullptr);
    CHECK(result.outcome == Outcome::failed);
    CHECK(result.code == ExitCode::bad_input);
    CHECK(result.message == "no room for process 3");
    CHECK(refuser.taker.taken.size() == (is_first() ? 4 : 0));
}

TEST_CASE("who has no room for a piece of a state is given no more, and lets no rank wait") {
    Taker taker(Taker::kNone, Processes::kPieces - 1);
    CHECK_THROWS_WITH_AS(gather(Processes(), taker), "no room for piece 3", InputError);
    CHECK(taker.taken.size() == (is_first() ? 1 : 0));
    test_transport().barrier();  // nothing of it is under way any more
}

TEST_CASE("a rank that cannot make the checkpoint of a process lets no other wait, and all get its error") {
    struct Unable final : RunningProcesses {
        std::vector<LpId> ids() const override { return Processes().ids(); }
        ProcessCheckpoint process(LpId id) const override {
            return id == Processes::last() ? throw std::bad_alloc() : Processes().process(id);
        }
        void save_state(LpId id, const ByteSink& sink) const override { Processes().save_state(id, sink); }
    };
    Taker taker(Taker::kNone, Processes::kPieces);
    CHECK_THROWS_WITH_AS(gather(Unable(), taker), "std::bad_alloc", InternalError);
    CHECK(taker.taken.size() == (is_first() ? std::size_t{Processes::last()} : 0));
    test_transport().barrier();
}

TEST_CASE("a rank that cannot make more than a part of a state lets no other wait, and all get its error") {
    for (std::size_t pieces = 0; pieces < Processes::kPieces; ++pieces) {
        Taker taker(Taker::kNone, Processes::kPieces);
        CHECK_THROWS_WITH_AS(gather(Processes(pieces), taker), "std::bad_alloc", InternalError);
        test_transport().barrier();
    }
}

TEST_CASE("a checkpoint that does not fit is refused on every rank") {
    const Recorded recorded;
    const auto refused = [&](auto damage) {
        SimulationCheckpoint damaged = recorded.keeper.taken[1];
        damage(damaged);
        CHECK_THROWS_AS(run({test_transport(), "window", false}, nullptr, &damaged), InputError);
    };
    const auto waiting = [](SimulationCheckpoint& checkpoint) -> SavedProcess& {
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
