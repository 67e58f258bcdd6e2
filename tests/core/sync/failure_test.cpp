#include <doctest/doctest.h>

#include "core/sync/sync_protocol.h"
#include "core/transport/in_process/in_process_transport.h"
#include "tests/core/sync/wanderer.h"

using namespace lookahead;
using namespace lookahead::test;

namespace {

SimulationResult run(const WandererOptions& options, const std::string& sync, EpochObserver* observer = nullptr) {
    return run_over(test_transport(), make_wanderers(options),
                    {.sync = sync, .epoch_length = 50'000, .observer = observer});
}

void check_failed(const SimulationResult& result, ExitCode code) {
    CHECK(result.outcome == Outcome::failed);
    CHECK(result.code == code);
}

bool says(const SimulationResult& result, std::string_view words) {
    return result.message.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("of several errors in an epoch every rank reports the first in simulated time") {
    WandererOptions options;
    // Process 8 fails first in simulated time.
    options.at_event = only({3, 8}, [](Wanderer& self, Time now) {
        if (now >= (self.id() == 3 ? 31'000 : 21'000)) { self.fail(now, self.name() + " read an illegal address"); }
    });
    for (const std::string& sync : parallel_protocols()) {
        const SimulationResult result = run(options, sync);
        check_failed(result, ExitCode::program_misbehaved);
        CHECK(result.message == "wanderer8 read an illegal address");
        CHECK(result.end_time == 50'000);
    }
}

TEST_CASE("a process that met an error is not advanced again") {
    WandererOptions options;
    int events = 0;  // of process 3 on its rank, from its error on
    options.at_event = only({3}, [&](Wanderer& self, Time now) {
        if (now >= 11'000) {
            ++events;
            self.fail(now, self.name() + " gave up");
        }
    });
    for (const std::string& sync : parallel_protocols()) {
        events = 0;
        CHECK(run(options, sync).message == "wanderer3 gave up");
        CHECK(events <= 1);
    }
}

TEST_CASE("of two errors at unknown times the one of the lower process is reported") {
    WandererOptions options;
    options.at_event = only({3, 8}, [](Wanderer& self, Time) { throw ProgramError(self.name() + " gave up"); });
    for (const std::string& sync : parallel_protocols()) { CHECK(run(options, sync).message == "wanderer3 gave up"); }
}

TEST_CASE("an error of the simulator itself ends the run with its own exit code") {
    WandererOptions options;
    options.at_event = only({5}, [](Wanderer& self, Time) { LOOKAHEAD_ASSERT(self.id() != 5, "a broken invariant"); });
    for (const std::string& sync : parallel_protocols()) {
        const SimulationResult result = run(options, sync);
        check_failed(result, ExitCode::internal);
        CHECK(says(result, "a broken invariant"));
    }
}

TEST_CASE("a message that arrives before the lookahead has passed traps, with process and time") {
    WandererOptions options;
    options.at_event = only({2}, [](Wanderer& self, Time now) {
        OutPort& port = self.out_port(0);
        const Time least = now + port.lookahead(0);
        port.send(0, now, least, Letter{0, 0});  // exactly at the bound is allowed
        port.send(0, now, least - 1, Letter{0, 0});
    });
    for (const std::string& sync : parallel_protocols()) {
        const SimulationResult result = run(options, sync);
        check_failed(result, ExitCode::internal);
        CHECK(result.message.starts_with("wanderer2 at "));
        CHECK(says(result, "before the channel's lookahead of"));
    }
}

TEST_CASE("a send to a destination that the port does not have is refused") {
    WandererOptions options;
    options.at_event = [](LpId) -> Wanderer::AtEvent {
        return [](Wanderer& self, Time now) {
            self.out_port(0).send(self.out_port(0).fan_out(), now, now + 1'000'000, Letter{0, 0});
        };
    };
    const SimulationResult result = run(options, "window");
    CHECK(result.code == ExitCode::internal);
    CHECK(says(result, "destination"));
}

TEST_CASE("a deadlock names the processes that wait and what for") {
    WandererOptions options;
    options.at_event =
        only({4, 11}, [](Wanderer& self, Time) { self.wait_for("a reply to letter " + std::to_string(self.id())); });
    for (const std::string& sync : parallel_protocols()) {
        const SimulationResult result = run(options, sync);
        CHECK(result.outcome == Outcome::deadlock);
        CHECK(result.code == ExitCode::program_misbehaved);
        CHECK(says(result,
                   "2 logical processes still wait: wanderer4 waits for a reply to letter 4; "
                   "wanderer11 waits for a reply to letter 11"));
    }
}

TEST_CASE("a deadlock of many names the first twenty") {
    WandererOptions options{.processes = 50};
    options.at_event = [](LpId) -> Wanderer::AtEvent { return [](Wanderer& self, Time) { self.wait_for("godot"); }; };
    for (const std::string& sync : parallel_protocols()) {
        const SimulationResult result = run(options, sync);
        CHECK(result.outcome == Outcome::deadlock);
        CHECK(says(result, "wanderer19 waits for godot; and 30 more"));
        CHECK_FALSE(says(result, "wanderer20 "));
    }
}

TEST_CASE("an observer's error on one rank ends the run on all") {
    class FullDisk final : public EpochObserver {
      public:
        void on_epoch(const EpochReport& report, std::span<LogicalProcess* const>) override {
            if (report.index >= 2 && test_transport().rank() == test_transport().size() - 1) {
                throw InputError("the disk is full");
            }
        }
    };
    for (const std::string& sync : parallel_protocols()) {
        FullDisk observer;
        const SimulationResult result = run({}, sync, &observer);
        check_failed(result, ExitCode::bad_input);
        CHECK(result.message == "the disk is full");
    }
}

TEST_CASE("an error in the making of a process is thrown on every rank") {
    Model model;
    for (int i = 0; i < 4; ++i) {
        model.add({"lp" + std::to_string(i), "node"}, [i]() -> std::unique_ptr<LogicalProcess> {
            if (i == 3) { throw InputError("no such file"); }
            return std::make_unique<Wanderer>(1, 1, 0, 0, 0, 1, nullptr);
        });
    }
    Transport& transport = test_transport();
    CHECK_THROWS_WITH_AS(Simulation(model, spread(4, transport.size(), false), transport, {.sync = "window"}),
                         "no such file", InputError);
}

TEST_CASE("a channel from a port that the process does not have is refused on every rank") {
    Model model;
    for (int i = 0; i < 4; ++i) {
        model.add({"lp" + std::to_string(i), "node"},
                  [] { return std::make_unique<Wanderer>(1, 1, 0, 0, 0, 1, nullptr); });
    }
    model.connect(2, 1, 0, 0, 10);
    Transport& transport = test_transport();
    CHECK_THROWS_AS(Simulation(model, spread(4, transport.size(), false), transport, {.sync = "window"}),
                    InternalError);
}

TEST_CASE("an unknown protocol is refused with the nearest name and the list of those that there are") {
    CHECK_THROWS_WITH_AS(find_sync_protocol("optimistic"),
                         "unknown synchronisation protocol optimistic; there are serial, window, null_message",
                         ConfigurationError);
    CHECK_THROWS_WITH_AS(find_sync_protocol("windows"),
                         "unknown synchronisation protocol windows: did you mean window?; there are serial, window, "
                         "null_message",
                         ConfigurationError);
}

TEST_CASE("promises between each two ranks are made on 128 ranks and not on 129, windows on any") {
    CHECK(find_sync_protocol("null_message", 16).name == "null_message");
    CHECK_THROWS_WITH_AS(find_sync_protocol("null_message", 17),
                         "the protocol null_message runs on at most 16 ranks, not on 17; use window",
                         ConfigurationError);
    CHECK_THROWS_WITH_AS(find_sync_protocol("serial", 2), "the protocol serial runs on one rank, not on 2; use window",
                         ConfigurationError);
    CHECK(find_sync_protocol("window", 1'000'000).name == "window");
}

TEST_CASE("serial runs on one rank only") {
    const Model model = make_wanderers({});
    Transport& transport = test_transport();
    if (transport.size() > 1) {
        CHECK_THROWS_AS(Simulation(model, spread(13, transport.size(), false), transport, {.sync = "serial"}),
                        ConfigurationError);
    } else {
        CHECK_NOTHROW(Simulation(model, spread(13, 1, false), transport, {.sync = "serial"}));
    }
}

TEST_CASE("a process that leaves an event before its horizon is reported instead of looping for ever") {
    struct Lazy final : Passive {
        void advance(Inbox, Time) override {}
        Time next_event_time() const override { return 10; }
    };
    Model model;
    model.add({"lazy", "lazy"}, [] { return std::make_unique<Lazy>(); });
    for (const std::string& sync : parallel_protocols()) {
        const SimulationResult result = Simulation(model, {0}, test_transport(), {.sync = sync}).run();
        check_failed(result, ExitCode::internal);
        CHECK(says(result, "lazy was advanced to"));
    }
}
