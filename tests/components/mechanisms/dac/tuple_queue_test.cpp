// The entry and warp that an expansion unit serves next, and the numbering of a warp's parts.
#include "components/mechanisms/dac/tuple_queue.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "components/mechanisms/dac/warp_queues.h"

namespace lookahead::dac {
namespace {

constexpr std::uint8_t kTurns[] = {0, 1};

/// Two CTAs of two warps: contexts 0 and 1, 2 and 3. An entry's PC is its enqueue's number.
struct Queue {
    DacParameters parameters;
    DacCounters counters;
    TupleQueue tuples;
    std::uint32_t enqueues = 0;

    explicit Queue(const std::string& expansion, const std::string& address_order = "tuple")
        : parameters{.atq_entries = 4, .expansion = expansion, .address_order = address_order},
          tuples(parameters, counters) {
        tuples.begin_launch(2, 2);
    }
    AtqEntry& push(isa::QueueMode mode, std::initializer_list<unsigned> contexts) {
        SmThreads threads{};
        for (const unsigned context : contexts) { threads[context] = isa::kFullMask; }
        AtqEntry& entry = tuples.push(mode, enqueues++, threads);
        tuples.complete(entry, false, 0, 0);
        return entry;
    }
    void address(std::initializer_list<unsigned> contexts) { push(isa::QueueMode::address, contexts); }

    /// The enqueue and context of each part that the address unit makes while the warps in `held` have no room.
    std::vector<std::pair<std::uint32_t, unsigned>> expand(gpu::ContextMask held = 0) {
        std::vector<std::pair<std::uint32_t, unsigned>> made;
        tuples.renew_units(0);
        while (tuples.choose_address(kTurns, 0, [&](const AtqEntry&, unsigned context) {
            return held.has(context) ? Turn::no_room : Turn::begun;
        })) {
            made.emplace_back(tuples.entry_of(tuples.address_unit()).pc, tuples.address_unit().warp);
            tuples.served(tuples.address_unit(), 0);
        }
        return made;
    }
};
using Made = std::vector<std::pair<std::uint32_t, unsigned>>;

TEST_CASE("a warp without room holds up all warps, those of its CTA, or itself, as dac.expansion says") {
    const auto made = [](const std::string& expansion) {
        Queue queue(expansion);
        queue.address({0, 1, 2});
        queue.address({0, 1, 2});
        const Made before = queue.expand(gpu::context_bit(0));
        CHECK(queue.expand().size() + before.size() == 6);
        CHECK(queue.tuples.size() == 0);
        return before;
    };
    CHECK(made("tuple") == Made{{0, 1}, {0, 2}});
    CHECK(made("cta") == Made{{0, 1}, {0, 2}, {1, 2}});
    CHECK(made("warp") == Made{{0, 1}, {0, 2}, {1, 1}, {1, 2}});
}

TEST_CASE("the address unit turns to the oldest tuple, or stays with one CTA") {
    for (const auto& [order, made] : {std::pair<std::string, Made>{"tuple", {{0, 0}, {0, 2}, {1, 0}, {1, 2}}},
                                      std::pair<std::string, Made>{"cta", {{0, 0}, {1, 0}, {0, 2}, {1, 2}}}}) {
        Queue queue("cta", order);
        queue.address({0, 2});
        queue.address({0, 2});
        CHECK(queue.expand() == made);
    }
}

TEST_CASE("an entry leaves the queue when it is the first one and nobody waits for it") {
    Queue queue("cta");
    queue.address({0});
    queue.push(isa::QueueMode::predicate, {2});
    CHECK(queue.tuples.owes(2));
    REQUIRE(queue.tuples.choose_predicate(0, [](const AtqEntry&, unsigned) { return Turn::begun; }));
    CHECK(!queue.tuples.served(queue.tuples.predicate_unit(), 0));
    CHECK(!queue.tuples.owes(2));
    CHECK(queue.tuples.size() == 2);
    CHECK(queue.expand() == Made{{0, 0}});
    CHECK(queue.tuples.size() == 0);
}

TEST_CASE("a unit for which no warp can go on is stuck until something changes") {
    Queue queue("cta");
    queue.address({0});
    CHECK(queue.tuples.address_unit().can_step(2));
    CHECK(!queue.tuples.address_unit().can_step(1));
    CHECK(queue.expand(gpu::context_bit(0)).empty());
    CHECK(!queue.tuples.address_unit().can_step(2));
    queue.tuples.renew_units(7);
    CHECK(queue.tuples.address_unit().can_step(7));
    CHECK(queue.counters.queue_wait_cycles == 7);
    CHECK(queue.counters.barrier_wait_cycles == 0);
}

TEST_CASE("parts of entries are numbered by warp and queue, and know the markers in front of them") {
    Queue queue("cta");
    WarpQueues warps(queue.parameters, 4);
    warps.begin_launch(4);
    const auto numbered = [&](isa::QueueMode mode) {
        AtqEntry& entry = queue.push(mode, {0, 1});
        warps.number(entry);
        return entry.sequence[0];
    };
    CHECK(numbered(isa::QueueMode::address) == 0);
    CHECK(numbered(isa::QueueMode::predicate) == 0);
    warps.enqueue_marker({isa::kFullMask});
    CHECK(warps.next_address(0) == 0);
    CHECK(warps.next_address(0) == 1);
    AtqEntry& entry = queue.push(isa::QueueMode::data, {0, 1});
    warps.number(entry);
    CHECK(entry.sequence[0] == 1);
    CHECK(warps.is_behind_marker(entry, 0));
    CHECK(!warps.is_behind_marker(entry, 1));
    warps.pass_marker(0);
    CHECK(!warps.is_behind_marker(entry, 0));
    CHECK(!warps.leads_at_markers(0));
    warps.pass_marker(0);
    CHECK(warps.leads_at_markers(0));
}

}  // namespace
}  // namespace lookahead::dac
