// Warp schedulers that want to hear of what happens in their SM's L1 are told of it.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "components/cache/l1_events.h"
#include "components/sm/warp_scheduler/warp_scheduler.h"
#include "core/state/state_archive.h"
#include "tests/components/sm/kernels.h"
#include "tests/components/sm/sm_harness.h"

namespace lookahead::gpu {
namespace {

/// Round robin, and a count of the loads that missed: what a scheduler that throttles would begin with.
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
