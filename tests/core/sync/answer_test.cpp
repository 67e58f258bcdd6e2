#include <doctest/doctest.h>

#include "core/message/message_registry.h"
#include "core/state/state_hasher.h"
#include "core/transport/in_process/in_process_transport.h"
#include "tests/core/sync/wanderer.h"

using namespace lookahead;
using namespace lookahead::test;

namespace {

constexpr LpId kKeepers = 6;
constexpr std::uint64_t kQuestions = 300;
constexpr Time kPace = 20;        ///< between two questions
constexpr Time kLink = 1000;      ///< lookahead of questions and answers
constexpr Time kNeighbours = 10;  ///< lookahead from keeper to keeper
constexpr std::uint16_t kFromAsker = 0;
constexpr std::uint16_t kFromNeighbour = 1;

struct Note {
    static constexpr MessageType kType = 243;
    std::uint64_t number;
};
LOOKAHEAD_REGISTER_MESSAGE(Note)

class Process : public Passive {
  public:
    std::uint64_t progress() const override { return seen_; }

  protected:
    std::uint64_t seen_ = 0;
};

/// Asks the keepers in turn at a steady pace, like a host that copies.
class Asker final : public Process {
  public:
    Asker() : questions_(add_out_port("questions")) {}
    void advance(Inbox inbox, Time horizon) override {
        seen_ += inbox.size();
        for (; next_event_time() < horizon; ++asked_) {
            questions_.send(static_cast<unsigned>(asked_ % kKeepers), next_event_time(), next_event_time() + kLink,
                            Note{asked_});
        }
    }
    Time next_event_time() const override {
        return asked_ < kQuestions ? static_cast<Time>(asked_) * kPace : kTimeInfinity;
    }

  private:
    OutPort& questions_;
    std::uint64_t asked_ = 0;
};

/// Answers questions and, if it `gossips`, tells its neighbour of them.
class Keeper final : public Process {
  public:
    explicit Keeper(bool gossips)
        : gossips_(gossips), answers_(add_out_port("answers")), neighbour_(add_out_port("neighbour")) {}
    void advance(Inbox inbox, Time) override {
        for (const MessageHeader* message : inbox) {
            ++seen_;
            if (message->in_port == kFromAsker) {
                answers_.send(0, message->time, message->time + kLink, message->as<Note>());
            }
            if (gossips_ && message->in_port == kFromAsker) {
                neighbour_.send(0, message->time, message->time + kNeighbours, message->as<Note>());
            }
        }
    }

  private:
    bool gossips_;
    OutPort& answers_;
    OutPort& neighbour_;
};

Model make_model(bool promised, bool gossips) {
    Model model;
    const LpId asker = model.add({"asker", "asker"}, [] { return std::make_unique<Asker>(); });
    for (LpId i = 0; i < kKeepers; ++i) {
        model.add({"keeper" + std::to_string(i), "keeper"}, [gossips] { return std::make_unique<Keeper>(gossips); });
    }
    for (LpId keeper = 1; keeper <= kKeepers; ++keeper) {
        model.connect(asker, 0, keeper, kFromAsker, kLink);
        model.connect(keeper, 0, asker, 0, kLink);
        model.connect(keeper, 1, keeper % kKeepers + 1, kFromNeighbour, kNeighbours);
        if (promised) { model.answer_only(keeper, kFromAsker, 0); }
    }
    return model;
}

SimulationResult run(Transport& transport, const std::string& sync, bool promised, bool gossips = false) {
    return run_over(transport, make_model(promised, gossips), {.sync = sync, .epoch_length = 100'000});
}

}  // namespace

TEST_CASE("windows are as long as the answers need while nothing but answers can come, with the same results") {
    InProcessTransport alone;
    const SimulationResult expected = run(alone, "serial", false);
    REQUIRE(expected.progress == 2 * kQuestions);
    // The questions take 300 x 20, and a window holds 1000 of that; without the promise every event has its own window.
    CHECK(most_windows(expected) >= kQuestions);
    const SimulationResult serial = run(alone, "serial", true);
    CHECK(serial.state_hash == expected.state_hash);
    CHECK(most_windows(serial) <= 10);
    for (const std::string& sync : parallel_protocols()) {
        CAPTURE(sync);
        for (const bool promised : {false, true}) { check_same(run(test_transport(), sync, promised), expected); }
    }
    // Busy ranks halve their steps.
    CHECK(most_windows(run(test_transport(), "window", true)) <= 2 * 10);
}

TEST_CASE("a process that sends more than the answer that was promised of it is trapped") {
    InProcessTransport alone;
    CHECK(run(alone, "serial", false, true).outcome == Outcome::finished);
    const SimulationResult result = run(alone, "serial", true, true);
    CHECK(result.outcome == Outcome::failed);
    CHECK(result.code == ExitCode::internal);
    CHECK(result.message.find("process 2 may have advanced") != std::string::npos);
    CHECK(result.message.find("answered only") != std::string::npos);
}

TEST_CASE("a process has one in-port that is answered only") {
    Model model = make_model(true, false);
    CHECK_THROWS_AS(model.answer_only(1, kFromNeighbour, 0), InternalError);
}
