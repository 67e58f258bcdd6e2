// What warp schedulers may learn of their SM: events in L1, time, and the warps that are about to load.
#include <doctest/doctest.h>

#include <set>

#include "components/cache/l1_events.h"
#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "core/state/state_archive.h"
#include "tests/components/sm/kernels.h"
#include "tests/components/sm/sm_harness.h"

namespace lookahead::gpu {
namespace {

/// Round robin with a count of loads that missed, as a throttling scheduler begins.
class ListeningScheduler final : public WarpScheduler, public L1Listener {
  public:
    explicit ListeningScheduler(const WarpSchedulerArguments&) {}

    unsigned pick(ContextMask candidates, Cycle) override {
        last_ = next_in_turn(candidates, last_);
        return last_;
    }
    void started(unsigned) override {}
    void exited(unsigned) override {}
    L1Listener* l1_listener() override { return this; }
    void on_l1_event(const L1Event& event) override {
        misses_ += event.kind == L1EventKind::miss && event.operation == L1Operation::load;
    }
    void fields(StateArchive& archive) override { archive& last_& misses_; }

    std::uint64_t misses() const { return misses_; }

  private:
    std::uint32_t last_ = kMaximumContexts - 1;
    std::uint64_t misses_ = 0;
};

LOOKAHEAD_REGISTER_VARIANT(WarpScheduler, ListeningScheduler, "test_listening", "Round robin that listens to L1.",
                           "none: for tests")

struct Seen {
    std::uint64_t loads = 0, others = 0, strangers = 0, late = 0, started = 0, launches = 0, launched_late = 0;
    std::string name;
};

/// Round robin that asks the view everything and compares the answers with issued instructions.
class AskingScheduler final : public WarpScheduler {
  public:
    explicit AskingScheduler(const WarpSchedulerArguments& arguments) : view_(arguments.view) {}

    unsigned pick(ContextMask candidates, Cycle now) override {
        last_ = next_in_turn(candidates, last_);
        const ContextMask loads = view_.loads(candidates);
        seen.loads += loads.has(last_);
        seen.others += !loads.has(last_);
        seen.strangers += (loads & ~candidates) != 0;
        seen.late += view_.now() != now;
        return last_;
    }
    void started(unsigned) override { ++seen.started; }
    void exited(unsigned) override {}
    void launch_started() override {
        ++seen.launches;
        seen.launched_late += seen.started != 0;
    }
    void visit_statistics(StatisticsVisitor&, const std::string& component) const override { seen.name = component; }
    void fields(StateArchive& archive) override { archive& last_; }

    static inline Seen seen;  // by the test's only SM, with one scheduler

  private:
    const WarpView& view_;
    std::uint32_t last_ = kMaximumContexts - 1;
};

LOOKAHEAD_REGISTER_VARIANT(WarpScheduler, AskingScheduler, "test_asking", "Round robin that asks for all it may.",
                           "none: for tests")

TEST_CASE("a scheduler can tell which candidates load through L1, what cycle it is, and when a launch begins") {
    AskingScheduler::seen = Seen{};
    const isa::Kernel kernel = lookahead::test::add_index();
    std::uint64_t loads = 0;
    for (const isa::Instruction& instruction : kernel.code) {
        loads += isa::is_load(instruction.operation) && instruction.space == isa::Space::global;
    }
    lookahead::test::PlainSmHarness harness({kernel}, "[sm]\nwarp_scheduler = \"test_asking\"\nschedulers = 1\n");
    harness.run_to_end({.grid = {5, 1, 1}, .block = {96, 1, 1}, .parameters = lookahead::test::global_parameters()});
    const Seen& seen = AskingScheduler::seen;
    CHECK(loads > 0);
    CHECK(seen.loads == loads * 5 * 3);
    CHECK(seen.others == (kernel.code.size() - loads) * 5 * 3);
    CHECK(seen.strangers == 0);
    CHECK(seen.late == 0);
    CHECK(seen.started == 15);
    CHECK(seen.launches == 1);
    CHECK(seen.launched_late == 0);
}

TEST_CASE("every scheduler of an SM that listens is subscribed to its L1 once, and no other is") {
    for (const std::string name : {"test_listening", "lrr"}) {
        lookahead::test::PlainSmHarness harness({lookahead::test::add_index()},
                                                "[sm]\nwarp_scheduler = \"" + name + "\"\n");
        const auto& subscribers = harness.memory().subscribers;
        const std::size_t schedulers = harness.sm().scheduler_counters().size();
        CHECK(subscribers.size() == (name == "lrr" ? 0 : schedulers));
        CHECK(std::set(subscribers.begin(), subscribers.end()).size() == subscribers.size());
        for (L1Listener* each : subscribers) {
            L1Event event{.kind = L1EventKind::miss, .client = Client::demand, .warp = 3, .pc = 7, .line = 0, .way = 0};
            each->on_l1_event(event);
            event.operation = L1Operation::store;
            each->on_l1_event(event);
            CHECK(dynamic_cast<ListeningScheduler&>(*each).misses() == 1);
        }
        harness.launch({.grid = {5, 1, 1}, .block = {100, 1, 1}, .parameters = lookahead::test::global_parameters()});
        CHECK(harness.run());
    }
}

}  // namespace
}  // namespace lookahead::gpu
