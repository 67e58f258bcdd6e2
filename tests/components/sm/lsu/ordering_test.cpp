// What fences, releases, acquires and ordered loads wait for: the last table of components/cache/TRANSITIONS.md.
#include <doctest/doctest.h>

#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test::ordering_tests {
namespace {

using isa::Scope;

constexpr Cycle kSlow = 300;

const isa::Instruction kLoad = make_memory(Operation::load);
const isa::Instruction kStore = make_memory(Operation::store);
const isa::Instruction kFence = make_fence();
const isa::Instruction kCtaFence = make_fence(Scope::cta);

const auto kFirst = lanes_at(kBase);
const auto kSecond = lanes_at(kBase + 4096);

struct SlowFirstLine : Bench {
    SlowFirstLine() {
        memory.set_delay([](unsigned, std::uint64_t line, bool to_owner) {
            return to_owner ? 1 : line == kBase ? kSlow : 10;
        });
    }
    Cycle completion_of(const isa::Instruction& what) {
        REQUIRE(drain());
        for (const Completion& each : completions) {
            if (each.instruction == &what) { return each.cycle; }
        }
        FAIL("the instruction did not complete");
        return 0;
    }
};

struct FenceCase {
    const isa::Instruction* earlier;
    const isa::Instruction* fence;
    std::uint16_t fence_context;  ///< the earlier access has context 0
    bool waits;
};

TEST_CASE("a fence waits for what its scope orders, and for no more") {
    const isa::Instruction reduce = make_atomic(isa::AtomicOp::add, Operation::reduce);
    const isa::Instruction atomic = make_atomic(isa::AtomicOp::add);
    const FenceCase cases[] = {
        {&kLoad, &kFence, 0, true},     {&kStore, &kFence, 0, true},     {&reduce, &kFence, 0, true},
        {&atomic, &kFence, 0, true},    {&kLoad, &kFence, 1, true},      {&kStore, &kFence, 1, true},
        {&kLoad, &kCtaFence, 0, true},  {&atomic, &kCtaFence, 0, true},  {&kStore, &kCtaFence, 0, false},
        {&kLoad, &kCtaFence, 1, false}, {&reduce, &kCtaFence, 0, false}, {&kStore, &kCtaFence, 1, false},
    };
    for (const FenceCase& each : cases) {
        CAPTURE(static_cast<int>(each.earlier->operation));
        CAPTURE(static_cast<int>(each.fence->scope));
        CAPTURE(each.fence_context);
        SlowFirstLine bench;
        bench.issue(*each.earlier, kFirst);
        const Cycle begin = bench.now;
        bench.issue_fence(*each.fence, each.fence_context);
        const Cycle end = bench.completion_of(*each.fence);
        CHECK((end > begin + kSlow - 10) == each.waits);
        CHECK((end < begin + 10) == !each.waits);
    }
}

TEST_CASE("a fence covers accesses that still wait in the queue") {
    SlowFirstLine bench;
    bench.port().opens_at = 100;
    for (unsigned i = 0; i < 12; ++i) {
        while (!bench.unit->can_accept()) { bench.step(); }
        if (i == 11) { break; }
        bench.issue(kStore, i == 10 ? kFirst : kSecond, 1);
    }
    bench.issue_fence(kFence, 3);
    CHECK(bench.completion_of(kFence) > 100 + kSlow);
}

TEST_CASE("a fence does not wait for accesses that are younger than it") {
    SlowFirstLine bench;
    bench.issue(kStore, kSecond, 1);
    const Cycle begin = bench.now;
    bench.issue_fence(kFence, 0);
    bench.issue(kStore, kFirst, 1, 0, 1);
    CHECK(bench.completion_of(kFence) < begin + 30);
}

TEST_CASE("several fences end in any interleaving with the accesses between them") {
    SlowFirstLine bench;
    const isa::Instruction early = make_fence();
    const isa::Instruction late = make_fence();
    bench.issue(kStore, kSecond, 1);
    const Cycle begin = bench.now;
    bench.issue_fence(early, 0);
    bench.issue(kStore, kFirst, 1, 0, 1);
    bench.issue_fence(late, 1);
    bench.issue(kStore, kSecond, 1, 0, 2);
    CHECK(bench.completion_of(early) < begin + 30);
    CHECK(bench.completion_of(late) >= begin + kSlow);
}

TEST_CASE("a fence with nothing before it takes a cycle, and starts a new generation at gpu scope only") {
    for (const Scope scope : {Scope::cta, Scope::gpu, Scope::sys, Scope::none}) {
        Bench bench;
        bench.perform(kLoad, kFirst);
        const isa::Instruction fence = make_fence(scope);
        const Cycle begin = bench.now;
        bench.issue_fence(fence);
        REQUIRE(bench.drain());
        CHECK(bench.completions.back().cycle == begin + 1);
        CHECK((bench.unit->l1().tags().find(kBase) != kNoWay) == (scope == Scope::cta));
    }
}

TEST_CASE("the generation begins at the fence's end: what was fetched while it waited is gone") {
    SlowFirstLine bench;
    bench.issue(kStore, kFirst);
    bench.issue_fence(kFence, 0);
    bench.issue(kLoad, kSecond, isa::kFullMask, 0, 1);
    bench.run_to(bench.now + 50);
    CHECK(bench.unit->l1().tags().find(kBase + 4096) != kNoWay);
    bench.completion_of(kFence);
    CHECK(bench.unit->l1().tags().find(kBase + 4096) == kNoWay);
}

TEST_CASE("a release is performed when all before it is done; a relaxed store and a cta release at once") {
    for (const auto& [order, scope, waits] :
         {std::tuple{Order::release, Scope::gpu, true}, std::tuple{Order::release, Scope::cta, false},
          std::tuple{Order::relaxed, Scope::gpu, false}}) {
        const isa::Instruction release = make_ordered(Operation::store, order, scope);
        SlowFirstLine bench;
        bench.issue(kStore, kFirst, 1, 0, 1);
        MemoryInstruction flag = bench.instruction(release, kSecond, 1);
        flag.data[0][0] = 1;
        bench.issue(flag);
        bench.run_to(bench.now + 100);
        CHECK((bench.memory.word(kBase + 4096) == 0) == waits);
        REQUIRE(bench.drain());
        CHECK(bench.memory.word(kBase + 4096) == 1);
        CHECK((bench.unit->counters().stall_cycles[static_cast<std::size_t>(LsuStall::release)] > 0) == waits);
    }
}

TEST_CASE("younger accesses of a context wait for its acquire, which then empties L1") {
    for (const Scope scope : {Scope::gpu, Scope::cta}) {
        const isa::Instruction acquire = make_ordered(Operation::load, Order::acquire, scope);
        const isa::Instruction late = kLoad;
        SlowFirstLine bench;
        bench.perform(kLoad, kSecond);
        bench.completions.clear();
        bench.issue(acquire, kFirst);
        bench.issue(late, kSecond, isa::kFullMask, 1);
        const unsigned reads = bench.memory.count(GpuMessage::read_request);
        const Cycle acquired = bench.completion_of(acquire);
        CHECK(bench.completion_of(late) > acquired);
        CHECK(bench.memory.count(GpuMessage::read_request) == reads + (scope == Scope::gpu));
        CHECK(bench.unit->counters().stall_cycles[static_cast<std::size_t>(LsuStall::acquire)] > 0);
    }
}

TEST_CASE("an acquire holds its own context only, once its turn in the queue is over") {
    const isa::Instruction acquire = make_ordered(Operation::load, Order::acquire);
    SlowFirstLine bench;
    bench.issue(acquire, kFirst);
    bench.issue(kLoad, kSecond, isa::kFullMask, 1, 1);
    CHECK(bench.completion_of(kLoad) < bench.completion_of(acquire));
}

TEST_CASE("an ordered load goes to memory though L1 holds the line") {
    for (const Order order : {Order::volatile_, Order::relaxed, Order::acquire}) {
        const isa::Instruction ordered = make_ordered(Operation::load, order);
        Bench bench;
        bench.perform(kLoad, kFirst);
        bench.memory.set_word(kBase, 77);
        bench.issue(kLoad, kFirst, 1, 1);
        bench.issue(ordered, kFirst, 1, 2);
        bench.perform(kLoad, kFirst, 1, 3);
        CHECK(bench.registers.row(1)[0] == 0);
        CHECK(bench.registers.row(2)[0] == 77);
        CHECK(bench.registers.row(3)[0] == 77);
    }
}

TEST_CASE("issuing past a fence of the same context is a broken invariant") {
    Bench bench;
    bench.issue(kStore, kFirst);
    bench.issue_fence(kFence);
    CHECK_THROWS_AS(bench.unit->accept(bench.instruction(kLoad, kFirst), bench.now), InternalError);
    CHECK_THROWS_AS(bench.unit->accept_fence(0, kFence, bench.now), InternalError);
}

TEST_CASE("a kernel begins with an empty L1, and not before the unit has drained") {
    Bench bench;
    bench.issue(kLoad, kFirst);
    CHECK_THROWS_WITH_AS(bench.unit->begin_kernel(), doctest::Contains("fills under way"), InternalError);
    REQUIRE(bench.drain());
    CHECK(bench.unit->l1().tags().find(kBase) != kNoWay);
    bench.unit->begin_kernel();
    CHECK(bench.unit->l1().tags().find(kBase) == kNoWay);
    CHECK(bench.unit->waiting_for() == "nothing");
}

}  // namespace
}  // namespace lookahead::gpu::test::ordering_tests
