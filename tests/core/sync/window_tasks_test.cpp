// A rank's LPs without the engine, and the choice of those with work in a window.
#include "core/sync/window_tasks.h"

#include <doctest/doctest.h>

#include <memory>

#include "core/sync/rank_processes.h"
#include "tests/core/sync/rank_bench.h"
#include "tests/core/sync/wanderer.h"

using namespace lookahead;
using lookahead::test::RankBench;

namespace {

/// Has one event, at `next`, and fails then if `fails`.
class Sleeper final : public lookahead::test::Passive {
  public:
    explicit Sleeper(Time next, bool fails = false) : next_(next), fails_(fails) {}
    void advance(Inbox inbox, Time horizon) override {
        read += inbox.size();
        ++advances;
        if (next_ >= horizon) { return; }
        if (fails_) { fail(next_, name() + " failed"); }
        next_ = kTimeInfinity;
    }
    Time next_event_time() const override { return next_; }

    std::size_t read = 0;
    int advances = 0;

  private:
    Time next_;
    bool fails_;
};

/// LPs 0 and 1 of one kind have events at 5 and 20, LP 2 of another kind at 5.
Model sleepers(bool fail) {
    Model model;
    model.add({"early", "a"}, [fail] { return std::make_unique<Sleeper>(5, fail); });
    model.add({"late", "a"}, [] { return std::make_unique<Sleeper>(20); });
    model.add({"other", "b"}, [fail] { return std::make_unique<Sleeper>(5, fail); });
    model.answer_only(2, 1, 0);
    return model;
}

struct SleepersBench : RankBench {
    ProcessProfile profile{model, {0, 1, 2}, false};
    RankProcesses processes{model, lookahead, messages, profile};
    WindowTasks tasks{3};

    explicit SleepersBench(bool fail = false) : RankBench(sleepers(fail), {0, 0, 0}) {}
    const Sleeper& sleeper(std::size_t index) const { return static_cast<const Sleeper&>(*processes.all()[index]); }
    std::vector<std::uint32_t> choose(Time of_a, Time of_b) {
        KindTimes horizons = all_at<kMostKinds>(0);
        horizons[0] = of_a;
        horizons[1] = of_b;
        tasks.choose(horizons, processes, messages);
        std::vector<std::uint32_t> chosen;
        for (const WindowTasks::Task& task : tasks.all()) { chosen.push_back(task.index); }
        return chosen;
    }
};

}  // namespace

TEST_CASE("a window has the LPs with an event or a message before the horizon of their kind") {
    SleepersBench bench;
    CHECK(bench.choose(5, 5).empty());
    CHECK(bench.choose(6, 5) == std::vector<std::uint32_t>{0});
    CHECK(bench.choose(5, 6) == std::vector<std::uint32_t>{2});
    CHECK(bench.choose(21, 6) == std::vector<std::uint32_t>{0, 1, 2});
    bench.write(0, RankBench::header(1, 8));
    CHECK(bench.choose(8, 0) == std::vector<std::uint32_t>{0});
    CHECK(bench.choose(9, 0) == std::vector<std::uint32_t>{0, 1});
    CHECK_FALSE(bench.tasks.all()[0].reads);
    CHECK(bench.tasks.all()[1].reads);
    CHECK(bench.tasks.all()[1].horizon == 9);
}

TEST_CASE("after a shared window each member has a part; a new plan is made by what LPs cost since the last one") {
    SleepersBench bench;
    CHECK(bench.tasks.begins().empty());
    bench.tasks.after_shared_window(2, std::vector<std::uint64_t>{1, 1, 1});
    bench.choose(21, 21);
    REQUIRE(bench.tasks.begins().size() == 3);
    CHECK(bench.tasks.begins()[1] == 2);
    // From here on LP 0 alone costs as much as the two others together.
    const std::vector<std::uint64_t> ticks{201, 101, 101};
    for (unsigned window = 1; window <= 256; ++window) {
        bench.tasks.after_shared_window(2, ticks);
        bench.choose(21, 21);
        CHECK(bench.tasks.begins()[1] == (window < 256 ? 2 : 1));
    }
}

TEST_CASE("what is pending has the next events and the messages of each kind, and apart those that are answered only") {
    SleepersBench bench;
    SourceTimes pending = all_at<kSourceCount>(kTimeInfinity);
    pending[0] = pending[1] = 5;
    CHECK(bench.processes.pending() == pending);
    bench.write(1, RankBench::header(2, 3, 0, 1));
    bench.write(1, RankBench::header(1, 4));
    pending[0] = 4;
    pending[kAnswers] = 3;
    CHECK(bench.processes.pending() == pending);
    CHECK(bench.processes.commonest_kind() == 0);
}

TEST_CASE("an LP reads its messages once, on whatever thread; they change the hash of what it has handled") {
    SleepersBench bench;
    bench.write(0, RankBench::header(1, 8));
    const std::uint64_t before = bench.processes.traffic_hash();
    CHECK(bench.messages.turn_if_due(1, 9));
    bench.processes.advance(1, 1, true, 9);
    CHECK(bench.processes.traffic_hash() != before);
    bench.processes.advance(0, 1, false, 21);
    CHECK(bench.sleeper(1).read == 1);
    CHECK(bench.processes.next_event(1) == kTimeInfinity);
}

TEST_CASE("of the LPs that throw at one time the first is reported; none of them is advanced again") {
    SleepersBench bench(true);
    CHECK_FALSE(bench.processes.failure().has_value());
    for (const std::size_t index : {2, 0, 2}) { bench.processes.advance(0, index, false, 6); }
    REQUIRE(bench.processes.failure().has_value());
    CHECK(bench.processes.failure()->lp == 0);
    CHECK(bench.processes.failure()->sentence == "early failed");
    CHECK(bench.sleeper(2).advances == 1);
    CHECK(bench.processes.next_event(2) == kTimeInfinity);
    // Messages for an LP that has failed are dropped.
    bench.write(0, RankBench::header(2, 8));
    CHECK(bench.messages.turn_if_due(2, 9));
    bench.processes.advance(0, 2, true, 9);
    CHECK(bench.processes.pending()[1] == kTimeInfinity);
}
