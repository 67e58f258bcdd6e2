// Subscribers to the load/store unit hear the events of its L1, with the context and the PC of the instruction.
#include <doctest/doctest.h>

#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test::l1_events_tests {
namespace {

class Recorder final : public L1Listener {
  public:
    void on_l1_event(const L1Event& event) override { events.push_back(event); }
    std::vector<L1Event> events;
};

const isa::Instruction kLoad = make_memory(isa::Operation::load);
const isa::Instruction kStore = make_memory(isa::Operation::store);
const isa::Instruction kReduce = make_atomic(isa::AtomicOp::add, isa::Operation::reduce);

struct EventBench : Bench {
    explicit EventBench(const Overrides& overrides) : Bench(overrides) { unit->subscribe(recorder); }

    void access(const isa::Instruction& what, unsigned line, std::uint32_t pc, std::uint16_t context) {
        MemoryInstruction each = instruction(what, words_from(kBase + line * kLineBytes), isa::kFullMask, 0, context);
        each.pc = pc;
        issue(each);
    }
    void check(std::size_t number, L1EventKind kind, L1Operation operation, unsigned line, std::uint32_t pc,
               std::uint16_t context) const {
        CAPTURE(number);
        REQUIRE(number < recorder.events.size());
        const L1Event& event = recorder.events[number];
        CHECK(event.kind == kind);
        CHECK(event.operation == operation);
        CHECK(event.line == kBase + line * kLineBytes);
        CHECK(event.pc == pc);
        CHECK(event.warp == context);
        CHECK(event.client == Client::demand);
    }

    Recorder recorder;
};

TEST_CASE("a subscriber hears misses, merges, fills, hits, evictions and stores of every context") {
    EventBench bench(
        {"l1d.sets=1", "l1d.set_index=linear", "l1d.ways=1", "l1d.pinned_ways=0", "l1d.write_policy=write_through"});
    bench.access(kLoad, 0, 5, 1);
    bench.access(kLoad, 0, 6, 2);
    REQUIRE(bench.drain());
    bench.access(kLoad, 0, 7, 3);
    bench.access(kStore, 0, 8, 4);
    bench.access(kLoad, 1, 9, 5);
    REQUIRE(bench.drain());
    bench.access(kReduce, 0, 10, 6);
    REQUIRE(bench.drain());
    CHECK(bench.recorder.events.size() == 9);
    bench.check(0, L1EventKind::miss, L1Operation::load, 0, 5, 1);
    bench.check(1, L1EventKind::merge, L1Operation::load, 0, 6, 2);
    bench.check(2, L1EventKind::fill, L1Operation::load, 0, 5, 1);
    bench.check(3, L1EventKind::hit, L1Operation::load, 0, 7, 3);
    bench.check(4, L1EventKind::hit, L1Operation::store, 0, 8, 4);
    bench.check(5, L1EventKind::evict, L1Operation::load, 0, 5, 1);
    bench.check(6, L1EventKind::miss, L1Operation::load, 1, 9, 5);
    bench.check(7, L1EventKind::fill, L1Operation::load, 1, 9, 5);
    bench.check(8, L1EventKind::miss, L1Operation::atomic, 0, 10, 6);
}

TEST_CASE("a subscriber changes nothing") {
    const Bench::Overrides overrides = {"l1d.sets=1", "l1d.set_index=linear", "l1d.ways=2", "l1d.pinned_ways=1"};
    EventBench heard(overrides);
    Bench alone(overrides);
    for (unsigned i = 0; i < 200; ++i) {
        for (Bench* each : {static_cast<Bench*>(&heard), &alone}) {
            each->issue(i % 3 == 0 ? kStore : kLoad, words_from(kBase + i * i % 7 * kLineBytes), isa::kFullMask, i % 64,
                        i % kContexts);
        }
    }
    REQUIRE(heard.drain());
    REQUIRE(alone.drain());
    CHECK(heard.now == alone.now);
    CHECK(heard.hash({}) == alone.hash({}));  // nothing is under way
    CHECK(heard.recorder.events.size() >= 200);
}

}  // namespace
}  // namespace lookahead::gpu::test::l1_events_tests
