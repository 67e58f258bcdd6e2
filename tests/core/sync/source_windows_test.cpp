// Windows in models where one kind of process seldom sends, over short channels, and the others often, over long ones.
#include <doctest/doctest.h>

#include "core/message/message_registry.h"
#include "core/state/state_hasher.h"
#include "core/transport/in_process/in_process_transport.h"
#include "tests/core/sync/wanderer.h"

using namespace lookahead;
using namespace lookahead::test;

namespace {

constexpr LpId kWorkers = 6;
constexpr LpId kStores = 3;
constexpr LpId kManager = kWorkers + kStores;
constexpr Time kPace = 3;               ///< between a worker's events
constexpr Time kLink = 94;              ///< lookahead between workers and stores
constexpr Time kShort = 64;             ///< between workers and manager
constexpr std::uint64_t kBeats = 2000;  ///< events of each worker
constexpr std::uint64_t kSilent = ~std::uint64_t{0};
constexpr Time kEnd = static_cast<Time>(kBeats) * kPace;

struct Word {
    static constexpr MessageType kType = 242;
    std::uint64_t number;
};
LOOKAHEAD_REGISTER_MESSAGE(Word)

/// Sums up messages and their times. Answers messages to in-ports from `answered` on, through port 0, to the
/// destination of that number.
class Listener : public Passive {
  public:
    explicit Listener(Time lookahead) : lookahead_(lookahead), answers_(add_out_port("answers")) {}
    void advance(Inbox inbox, Time) override {
        for (const MessageHeader* message : inbox) {
            hear(*message);
            answers_.send(message->in_port, message->time, message->time + lookahead_, message->as<Word>());
        }
    }
    std::uint64_t progress() const override { return heard_; }
    void fields(StateArchive& archive) override { archive& heard_& sum_; }

  protected:
    void hear(const MessageHeader& message) {
        ++heard_;
        sum_ = sum_ * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(message.time) + message.as<Word>().number;
    }

  private:
    Time lookahead_;
    OutPort& answers_;
    std::uint64_t heard_ = 0;
    std::uint64_t sum_ = 0;
};

/// Writes to the stores in turn, and occasionally to the manager. Received messages change what it writes.
class Worker final : public Listener {
  public:
    explicit Worker(std::uint64_t every)
        : Listener(0), every_(every), stores_(add_out_port("stores")), manager_(add_out_port("manager")) {}
    void advance(Inbox inbox, Time horizon) override {
        auto next = inbox.begin();
        for (; next_event_time() < horizon; ++beat_) {
            for (; next != inbox.end() && (*next)->time <= next_event_time(); ++next) { hear(**next); }
            const Time now = next_event_time();
            if (every_ == kSilent) { continue; }
            if (every_ != 0 && beat_ % every_ == 0) {
                manager_.send(0, now, now + kShort, Word{progress()});
            } else {
                stores_.send(static_cast<unsigned>(beat_ % kStores), now, now + kLink, Word{progress() + beat_});
            }
        }
        for (; next != inbox.end(); ++next) { hear(**next); }
    }
    Time next_event_time() const override { return beat_ < kBeats ? static_cast<Time>(beat_) * kPace : kTimeInfinity; }
    void fields(StateArchive& archive) override {
        Listener::fields(archive);
        archive& beat_;
    }

  private:
    std::uint64_t every_;
    std::uint64_t beat_ = 0;
    OutPort& stores_;
    OutPort& manager_;
};

/// `every`: one of so many of a worker's events is for the manager; 0: none, and kSilent: none for the stores either.
Model make_model(std::uint64_t every) {
    Model model;
    for (LpId i = 0; i < kWorkers; ++i) {
        model.add({"worker" + std::to_string(i), "worker"}, [every] { return std::make_unique<Worker>(every); });
    }
    for (LpId i = 0; i < kStores; ++i) {
        model.add({"store" + std::to_string(i), "store"}, [] { return std::make_unique<Listener>(kLink); });
    }
    model.add({"manager", "manager"}, [] { return std::make_unique<Listener>(kShort); });
    for (LpId worker = 0; worker < kWorkers; ++worker) {
        for (LpId store = 0; store < kStores; ++store) {
            model.connect(worker, 1, kWorkers + store, static_cast<std::uint16_t>(worker), kLink);
            model.connect(kWorkers + store, 0, worker, 0, kLink);
        }
        model.connect(worker, 2, kManager, static_cast<std::uint16_t>(worker), kShort);
        model.connect(kManager, 0, worker, 1, kShort);
    }
    return model;
}

SimulationResult run(Transport& transport, const std::string& sync, std::uint64_t every, bool halves = false,
                     bool rounds = false) {
    return run_over(transport, make_model(every),
                    {.sync = sync, .epoch_length = 100'000, .halves_always = halves, .rounds_always = rounds});
}

}  // namespace

TEST_CASE("a kind that is not spoken to does not shorten the windows of the others") {
    InProcessTransport alone;
    const SimulationResult serial = run(alone, "serial", 0);
    REQUIRE(serial.progress == 2 * kWorkers * kBeats);
    // Only the longer lookahead bounds them.
    constexpr auto kLong = static_cast<std::uint64_t>(kEnd / kLink);
    CHECK(most_windows(serial) <= kLong + 5);
    CHECK(most_windows(serial) >= kLong / 2);
    const SimulationResult parallel = run(test_transport(), "window", 0);
    CHECK(parallel.state_hash == serial.state_hash);
    // At most twice as many, if the ranks prefer half windows, and while workers and stores are on different ranks.
    CHECK(most_windows(parallel) <= 2 * (kLong + 5));
}

TEST_CASE("results do not depend on ranks and protocol while the short channels are used, seldom or always") {
    for (const std::uint64_t every : {0, 1, 2, 7, 100}) {
        CAPTURE(every);
        InProcessTransport alone;
        const SimulationResult serial = run(alone, "serial", every);
        REQUIRE(serial.outcome == Outcome::finished);
        REQUIRE(serial.progress == 2 * kWorkers * kBeats);
        for (const std::string& sync : parallel_protocols()) {
            CAPTURE(sync);
            for (const bool halves : {false, true}) {
                check_same(run(test_transport(), sync, every, halves, every % 2 == 0), serial);
            }
        }
    }
}

TEST_CASE("the manager's rank goes no farther than those that hear of it from elsewhere") {
    const SimulationResult parallel = run(test_transport(), "window", 7);
    for (const EngineStatistics& rank : parallel.per_rank) {
        // A rank that went farther would have its own windows inside the common ones, as a single rank does.
        const bool has_own_windows = rank.inner_windows > rank.windows + rank.windows / 20;
        CHECK(has_own_windows == (parallel.per_rank.size() == 1));
    }
}

TEST_CASE("the time of an epoch in which a rank did not wait is no time in which it was blocked") {
    InProcessTransport alone;
    for (const std::string& sync : test::variants_of("sync")) {
        CAPTURE(sync);
        const SimulationResult result = run(alone, sync, 0);
        const EngineStatistics& rank = result.per_rank.at(0);
        CHECK(rank.compute_seconds > rank.blocked_seconds);
    }
}
