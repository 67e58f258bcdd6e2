// What fences, acquires and releases wait for, in the load/store unit's part that keeps the order.
#include <doctest/doctest.h>

#include <vector>

#include "components/sm/lsu/access_order.h"
#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test::access_order_tests {
namespace {

using Items = std::vector<std::uint64_t>;

Items due(TimingWheel& completions, Cycle cycle) {
    Items items;
    completions.take(cycle, [&](std::uint64_t item) { items.push_back(item); });
    return items;
}

struct OrderBench {
    TimingWheel completions{64};
    AccessOrder order{kContexts, true, completions, 0};

    bool stalls(const isa::Instruction& instruction, std::uint16_t context, LsuStall stall) const {
        MemoryInstruction memory{};
        memory.instruction = &instruction;
        memory.context = context;
        return order.stall_of(memory) == stall;
    }
};

const isa::Instruction kFence = make_fence();
const isa::Instruction kCtaFence = make_fence(isa::Scope::cta);

TEST_CASE("a fence waits for the instructions before it and for their accesses") {
    OrderBench each;
    AccessOrder& order = each.order;
    order.accept(1);
    order.accept_fence(0, kFence, 1);
    const std::uint32_t tag = order.store_tag(1);
    order.begin_store(1);
    CHECK(order.fences_wait());
    order.performed(1, 2);
    CHECK(due(each.completions, 3) == Items{});
    order.end_store(tag, 4);
    CHECK(due(each.completions, 5) == Items{0});
    CHECK_FALSE(order.fences_wait());
    CHECK(&order.complete_fence(0) == &kFence);
}

TEST_CASE("a fence does not wait for accesses that are performed after the instructions before it") {
    OrderBench each;
    AccessOrder& order = each.order;
    order.accept(1);
    const std::uint16_t earlier = order.epoch();
    order.begin_load(1, false);
    order.performed(1, 1);
    order.accept_fence(0, kFence, 2);
    order.accept(2);
    order.begin_load(2, false);
    order.end_load(1, false, earlier, 3);
    CHECK(due(each.completions, 4) == Items{0});
}

TEST_CASE("a fence at scope cta waits for its own context alone") {
    OrderBench each;
    AccessOrder& order = each.order;
    for (const std::uint16_t context : {0, 1}) {
        order.accept(context);
        order.begin_load(context, false);
        order.performed(context, 1);
    }
    order.accept_fence(0, kCtaFence, 2);
    CHECK(due(each.completions, 3) == Items{});
    order.end_load(0, false, order.epoch(), 4);
    CHECK(due(each.completions, 5) == Items{0});
}

TEST_CASE("a release waits for all accesses, and an acquire holds the accesses of its own context") {
    OrderBench each;
    const isa::Instruction load = make_memory(Operation::load);
    const isa::Instruction release = make_ordered(Operation::store, Order::release);
    CHECK_FALSE(each.stalls(release, 0, LsuStall::release));
    each.order.begin_load(1, true);
    CHECK(each.stalls(release, 0, LsuStall::release));
    CHECK_FALSE(each.stalls(load, 0, LsuStall::acquire));
    CHECK(each.stalls(load, 1, LsuStall::acquire));
    each.order.end_load(1, true, each.order.epoch(), 1);
    CHECK_FALSE(each.stalls(load, 1, LsuStall::acquire));
}

}  // namespace
}  // namespace lookahead::gpu::test::access_order_tests
