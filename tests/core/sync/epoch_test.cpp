#include <doctest/doctest.h>

#include <numeric>

#include "core/trace/chrome_trace.h"
#include "core/transport/in_process/in_process_transport.h"
#include "tests/core/sync/wanderer.h"

using namespace lookahead;
using namespace lookahead::test;

namespace {

constexpr Time kEpoch = 10'000;

SimulationResult run(EpochObserver& observer, const std::string& sync, Time epoch = kEpoch,
                     TraceSink* trace = nullptr) {
    return run_over(test_transport(), make_wanderers({}),
                    {.sync = sync, .epoch_length = epoch, .observer = &observer, .trace = trace});
}

}  // namespace

TEST_CASE("epochs come at multiples of their length, with growing progress") {
    for (const std::string& sync : parallel_protocols()) {
        EpochLog log;
        const SimulationResult result = run(log, sync);
        REQUIRE(log.reports.size() > 3);
        std::uint64_t last_progress = 0;
        std::uint64_t last_index = 0;
        for (const EpochReport& report : log.reports) {
            CHECK(report.time == static_cast<Time>(report.index) * kEpoch);
            CHECK(report.index > last_index);
            CHECK(report.progress >= last_progress);
            last_index = report.index;
            last_progress = report.progress;
        }
        CHECK(log.reports.back().time == result.end_time);
        CHECK(log.reports.back().progress == result.progress);
    }
}

TEST_CASE("the run stops at the epoch before which any rank was asked to, in the same state for any ranks") {
    class StopAtFifth final : public EpochLog {
      public:
        explicit StopAtFifth(int rank) : rank_(rank) {}
        bool asked_to_stop() override { return rank_ == 0 && !reports.empty() && reports.back().index >= 4; }
        bool stop(const EpochReport& report) override { return report.asked_to_stop; }

      private:
        int rank_;
    };
    StopAtFifth alone(0);
    InProcessTransport one;
    const SimulationResult expected = run_over(one, make_wanderers({}), {.epoch_length = kEpoch, .observer = &alone});
    CHECK(expected.outcome == Outcome::stopped);
    CHECK(expected.end_time == 5 * kEpoch);
    for (const std::string& sync : parallel_protocols()) {
        StopAtFifth observer(test_transport().rank());
        const SimulationResult result = run(observer, sync);
        CHECK(result.outcome == Outcome::stopped);
        CHECK(result.code == ExitCode::done);
        CHECK(result.end_time == 5 * kEpoch);
        CHECK(result.state_hash == expected.state_hash);
        CHECK(same(observer.reports, alone.reports));
    }
}

TEST_CASE("the messages of a run do not depend on the length of its epochs") {
    EpochLog shorter;
    EpochLog longer;
    run(shorter, "window", 1'000);
    run(longer, "window", 1'000'000'000);
    CHECK(longer.reports.size() == 1);
    CHECK(shorter.reports.back().traffic_hash == longer.reports.back().traffic_hash);
}

TEST_CASE("an epoch without length is refused") {
    EpochLog log;
    CHECK_THROWS_AS(run(log, "window", 0), ConfigurationError);
}

TEST_CASE("a model in which nothing happens ends at once") {
    Model model;
    for (int i = 0; i < 4; ++i) {
        model.add({"idle", "idle"}, [] { return std::make_unique<Wanderer>(1, 1, 0, 0, 0, 1, nullptr); });
    }
    for (const std::string& sync : parallel_protocols()) {
        const SimulationResult result = run_over(test_transport(), model, {.sync = sync});
        CHECK(result.outcome == Outcome::finished);
        CHECK(result.end_time == 0);
        CHECK(result.progress == 0);
    }
}

TEST_CASE("a trace covers what the ranks did") {
    ChromeTrace trace(test_transport().rank());
    EpochLog log;
    run(log, "window", kEpoch, &trace);
    const std::vector<std::string> parts = test_transport().gather(trace.events());
    if (test_transport().rank() == 0) {
        const std::string document = ChromeTrace::document(parts);
        CHECK(document.find("\"name\":\"compute\"") != std::string::npos);
        CHECK(document.find("\"tid\":" + std::to_string(test_transport().size() - 1)) != std::string::npos);
    }
}

TEST_CASE("the profile has every LP on its rank, its advances, and every message between two LPs by window") {
    const Model model = make_wanderers({});
    Transport& transport = test_transport();
    const std::vector<int> ranks = spread(13, transport.size(), false);
    const SimulationResult result =
        Simulation(model, ranks, transport, {.sync = "window", .epoch_length = kEpoch, .log_windows = true}).run();
    if (transport.rank() != 0) {
        CHECK(result.profile.loads.empty());
        return;
    }
    const RunProfile& profile = result.profile;
    CHECK(profile.rank == ranks);
    std::uint64_t advances = 0;
    std::uint64_t events = 0;
    std::uint64_t windows = 0;
    for (const EngineStatistics& rank : result.per_rank) {
        advances += rank.advances;
        events += rank.events;
        windows = std::max(windows, transport.size() == 1 ? rank.inner_windows : rank.windows);
    }
    // Every LP is also advanced to each epoch's boundary, outside windows.
    std::uint64_t in_windows = 0;
    for (const ProcessLoad& load : profile.loads) { in_windows += load.advances; }
    CHECK(in_windows > 0);
    CHECK(in_windows + 13 * result.per_rank.front().epochs == advances);
    CHECK(profile.windows.start.size() == windows);
    CHECK(std::is_sorted(profile.windows.start.begin(), profile.windows.start.end()));
    REQUIRE(profile.windows.nanoseconds.size() == windows * 13);
    CHECK(std::reduce(profile.windows.messages.begin(), profile.windows.messages.end()) == events);
    for (LpId lp = 0; lp < 13; ++lp) {
        std::uint64_t nanoseconds = 0;
        for (std::size_t w = 0; w < windows; ++w) { nanoseconds += profile.windows.nanoseconds[w * 13 + lp]; }
        CHECK(static_cast<double>(nanoseconds) * 1e-9 == doctest::Approx(profile.loads[lp].seconds));
    }
}

TEST_CASE("a protocol without common windows cannot log them") {
    const Model model = make_wanderers({});
    Transport& transport = test_transport();
    CHECK_THROWS_WITH_AS(Simulation(model, spread(13, transport.size(), false), transport,
                                    {.sync = "null_message", .epoch_length = kEpoch, .log_windows = true}),
                         doctest::Contains("use window"), ConfigurationError);
}
