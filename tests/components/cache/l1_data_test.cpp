#include <doctest/doctest.h>

#include <random>
#include <set>

#include "tests/components/cache/l1_bench.h"

namespace lookahead::gpu::test {
namespace {

TEST_CASE(
    "with cached_loads = local a miss of global memory joins nothing and leaves nothing, one of local memory does") {
    L1Bench bench(with(L1Bench::parameters(1, 2), &L1Parameters::cached_loads, "local"));
    CHECK(bench.load(line(0), 1).answer == L1Answer::miss);
    CHECK(bench.load(line(0), 2).answer == L1Answer::miss);  // its own request
    CHECK(bench.state_of(line(0)) == "absent");
    CHECK(bench.fill_oldest(pattern(1)).front().token == 1);
    CHECK(bench.fill_oldest(pattern(2)).front().bytes == pattern(2));
    CHECK(bench.state_of(line(0)) == "absent");
    CHECK(bench.l1.counters().evictions == 0);
    CHECK(bench.l1.counters().detached_fills == 2);
    const std::uint64_t local = isa::kLocalMemoryBase;
    CHECK(bench.load(local, 3).answer == L1Answer::miss);
    CHECK(bench.load(local, 4).answer == L1Answer::merge);
    CHECK(bench.fill_oldest(pattern(3)).size() == 2);
    CHECK(bench.load(local).answer == L1Answer::hit);
}

TEST_CASE("with cached_loads = local what a prefetch brings is installed, joined and hit") {
    L1Bench bench(with(L1Bench::parameters(1, 2), &L1Parameters::cached_loads, "local"));
    CHECK(bench.load(line(0), 0, Client::prefetch).answer == L1Answer::miss);
    CHECK(bench.load(line(0), 1).answer == L1Answer::merge);
    bench.fill_oldest(pattern(1));
    CHECK(bench.load(line(0), 2).answer == L1Answer::hit);
}

TEST_CASE("with cached_loads = local a load needs no line that may make room") {
    for (const char* cached : {"all", "local"}) {
        L1Bench bench(with(L1Bench::parameters(1, 1), &L1Parameters::cached_loads, cached));
        CHECK(bench.load(isa::kLocalMemoryBase).answer == L1Answer::miss);  // waits for its fill in the only way
        CHECK(bench.load(line(1)).answer == (cached == std::string("all") ? L1Answer::stall : L1Answer::miss));
    }
}

TEST_CASE("a line remembers who brought it") {
    L1Bench bench(L1Bench::parameters(1, 2));
    bench.load(line(0), 0, Client::prefetch);
    const LineInfo& info = bench.l1.tags().info(bench.l1.tags().find(line(0)));
    CHECK(info.owner == 3);
    CHECK(info.pc == 7);
    CHECK(info.client == Client::prefetch);
}

TEST_CASE("other clients than demand hold no more MSHRs than they may, until demand joins one of their fills") {
    L1Bench bench(with(L1Bench::parameters(1, 8), &L1Parameters::speculative_mshrs, 1));
    CHECK(bench.load(line(0), 0, Client::prefetch).answer == L1Answer::miss);
    CHECK(bench.load(line(1), 0, Client::prefetch).answer == L1Answer::stall);
    CHECK(bench.load(line(1), 0, Client::demand).answer == L1Answer::miss);
    CHECK(bench.load(line(0), 0, Client::demand).answer == L1Answer::merge);
    CHECK(bench.load(line(2), 0, Client::prefetch).answer == L1Answer::miss);
    CHECK(bench.load(line(3), 0, Client::pre_load).answer == L1Answer::stall);
    for (unsigned i = 0; i < 3; ++i) { bench.fill_oldest(pattern(i)); }
    CHECK(bench.load(line(3), 0, Client::pre_load).answer == L1Answer::miss);
}

TEST_CASE("a prefetch waits for nothing and takes no place in the fill's list") {
    L1Bench bench(with(L1Bench::parameters(1, 2), &L1Parameters::merges, 1));
    const L1Access prefetch{.line = line(0), .client = Client::prefetch};
    CHECK(bench.l1.load(prefetch, {}).answer == L1Answer::miss);
    CHECK(bench.load(line(0), 11).answer == L1Answer::merge);
    CHECK(bench.l1.load(prefetch, {}).answer == L1Answer::merge);
    const auto served = bench.fill_oldest(pattern(1));
    REQUIRE(served.size() == 1);
    CHECK(served[0].token == 11);
}

TEST_CASE("a write-through store that finds no place to merge poisons the fill instead") {
    SUBCASE("no buffer") {
        L1Bench bench(with(L1Bench::parameters(1, 2, "write_through"), &L1Parameters::merged_stores, 1));
        bench.load(line(0), 1);
        bench.store(line(0), pattern(5), mask_of(0, 4));
        CHECK(bench.state_of(line(0)) == "pending");
        bench.store(line(0), pattern(6), mask_of(4, 4));
        CHECK(bench.state_of(line(0)) == "absent");
        CHECK(bench.detached() == 1);
        bench.fill_oldest(pattern(2));
        // The buffer is free again.
        bench.load(line(0), 1);
        bench.store(line(0), pattern(5), mask_of(0, 4));
        CHECK(bench.state_of(line(0)) == "pending");
    }
    SUBCASE("no place in the list") {
        L1Bench bench(with(L1Bench::parameters(1, 2, "write_through"), &L1Parameters::merges, 1));
        bench.load(line(0), 1);
        bench.store(line(0), pattern(5), mask_of(0, 4));
        CHECK(bench.state_of(line(0)) == "absent");
    }
}

TEST_CASE("requests leave the miss queue through its pipeline, one a cycle, and make room as they enter it") {
    MissQueue queue(2, 3);
    const auto push = [&](std::uint64_t number) { queue.push(line(number), GpuMessage::read_request, 0); };
    push(0);
    push(1);
    CHECK(queue.full());
    CHECK(queue.next_departure(10) == kCycleInfinity);
    CHECK(queue.advance(10));
    CHECK_FALSE(queue.full());
    CHECK(queue.next_departure(10) == 13);
    CHECK(queue.advance(11));
    CHECK_FALSE(queue.advance(12));
    push(2);
    push(3);
    CHECK(queue.advance(12));
    CHECK_FALSE(queue.advance(13));  // the pipeline is full with three
    push(4);
    CHECK(queue.full());
    for (const Cycle due : {13, 14, 15}) {
        CHECK(queue.next_departure(0) == due);
        CHECK(queue.front().line == line(static_cast<unsigned>(due - 13)));
        queue.pop();
    }
    CHECK(queue.next_departure(15) == kCycleInfinity);
    CHECK(queue.size() == 2);
    MissQueue direct(2);
    direct.push(line(0), GpuMessage::read_request, 0);
    CHECK(direct.next_departure(10) == 10);
    CHECK_FALSE(direct.can_advance());
}

TEST_CASE("a store's request carries its mask and the words that hold its bytes") {
    L1Bench bench(L1Bench::parameters(1, 2));
    ByteMask mask = mask_of(5, 1);
    mask.set(64, 8);
    mask.set(127, 1);
    bench.store(line(2), pattern(9), mask);
    const QueuedRequest& request = bench.l1.miss_queue().front();
    WriteRequest head;
    std::memcpy(&head, request.payload, sizeof head);
    CHECK(head.line == line(2));
    CHECK(head.mask == mask);
    CHECK(head.tag == 5);
    REQUIRE(head.words == 4);
    REQUIRE(request.bytes == sizeof head + 16);
    const LineBytes bytes = pattern(9);
    const unsigned words[] = {1, 16, 17, 31};
    for (unsigned i = 0; i < 4; ++i) {
        CHECK(std::memcmp(request.payload + sizeof head + 4 * i, &bytes[4 * words[i]], 4) == 0);
    }
}

TEST_CASE("masks of bytes give their words and copy their bytes and no others") {
    std::mt19937 random(20240611);
    for (unsigned round = 0; round < 200; ++round) {
        ByteMask mask;
        for (unsigned i = 0; i < kLineBytes; ++i) {
            if (random() % (1 + round % 7) == 0) { mask.set(i, 1); }
        }
        std::uint32_t words = 0;
        for (unsigned i = 0; i < kLineBytes; ++i) { words |= std::uint32_t{mask.test(i)} << (i / 4); }
        REQUIRE(words_of(mask) == words);
        LineBytes to = pattern(1);
        copy_bytes(to.data(), pattern(2).data(), mask);
        REQUIRE(to == overlaid(pattern(1), pattern(2), mask));
    }
}

TEST_CASE("linear indexing is the remainder for any number of sets") {
    for (const unsigned sets : {1u, 3u, 32u, 96u, 1000u}) {
        const SetIndex index(SetIndexing::linear, sets);
        std::mt19937 random(sets);
        for (unsigned i = 0; i < 1000; ++i) {
            const std::uint32_t number = random();
            REQUIRE(index.of(std::uint64_t{number} * kLineBytes) == number % sets);
        }
    }
}

TEST_CASE("rotated indexing goes one set further for each time through the sets, for any number of them") {
    for (const unsigned sets : {1u, 3u, 32u, 96u, 1000u}) {
        const SetIndex index(SetIndexing::rotated, sets);
        std::mt19937 random(sets);
        for (unsigned i = 0; i < 1000; ++i) {
            const std::uint32_t number = random() >> 1;
            REQUIRE(index.of(std::uint64_t{number} * kLineBytes) == (number + number / sets) % sets);
        }
    }
}

TEST_CASE("Fermi's hash spreads lines 4 KiB apart over the sets, and is a bijection on each 4 KiB block") {
    const SetIndex index(SetIndexing::fermi_hash, 32);
    std::set<unsigned> apart;
    for (unsigned i = 0; i < 256; ++i) {
        apart.insert(index.of(std::uint64_t{i} * 4096));
        std::set<unsigned> block;
        for (unsigned j = 0; j < 32; ++j) { block.insert(index.of(std::uint64_t{i} * 4096 + j * kLineBytes)); }
        REQUIRE(block.size() == 32);
    }
    CHECK(apart.size() == 32);
    CHECK(index.of(0) == 0);
    CHECK(index.of(1 << 13) == 1);
    CHECK(index.of(1 << 19) == 16);
    CHECK(index.of(1 << 12) == 0);
    CHECK(SetIndex(SetIndexing::fermi_hash, 64).of(1 << 12) == 32);
}

class Recorder final : public L1Listener {
  public:
    void on_l1_event(const L1Event& event) override { events.push_back(event); }
    std::vector<L1Event> events;
};

struct Heard {
    L1EventKind kind;
    L1Operation operation;
    std::uint64_t line;
};

void check_heard(const Recorder& recorder, const std::vector<Heard>& expected) {
    REQUIRE(recorder.events.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        CHECK(recorder.events[i].kind == expected[i].kind);
        CHECK(recorder.events[i].operation == expected[i].operation);
        CHECK(recorder.events[i].line == expected[i].line);
    }
}

TEST_CASE("listeners hear of misses, merges, fills, hits and evictions, with client, PC and warp") {
    L1Bench bench(L1Bench::parameters(1, 1));
    Recorder recorder;
    bench.l1.subscribe(recorder);
    bench.load(line(0), 0, Client::prefetch);
    bench.load(line(0));
    bench.fill_oldest(pattern(0));
    bench.load(line(0));
    bench.load(line(1));
    check_heard(recorder, {{L1EventKind::miss, L1Operation::load, line(0)},
                           {L1EventKind::merge, L1Operation::load, line(0)},
                           {L1EventKind::fill, L1Operation::load, line(0)},
                           {L1EventKind::hit, L1Operation::load, line(0)},
                           {L1EventKind::evict, L1Operation::load, line(0)},
                           {L1EventKind::miss, L1Operation::load, line(1)}});
    for (const L1Event& event : recorder.events) {
        CHECK(event.pc == 7);
        CHECK(event.warp == 3);
    }
    CHECK(recorder.events[0].client == Client::prefetch);
    CHECK(recorder.events[1].client == Client::demand);
}

TEST_CASE("listeners hear of a way that a store to local memory takes, and of the line that makes room for it") {
    L1Bench bench(L1Bench::parameters(1, 1));
    Recorder recorder;
    bench.bring(line(0), pattern(0));
    bench.l1.subscribe(recorder);
    const std::uint64_t local = isa::kLocalMemoryBase;
    bench.l1.store_local({.line = local, .pc = 8, .warp = 5}, mask_of(0, 4), pattern(1).data(), 0);
    bench.l1.store_local({.line = local, .pc = 9, .warp = 5}, mask_of(4, 4), pattern(1).data(), 0);
    bench.load(line(1));
    check_heard(recorder, {{L1EventKind::evict, L1Operation::load, line(0)},
                           {L1EventKind::allocate, L1Operation::store, local},
                           {L1EventKind::hit, L1Operation::store, local},
                           {L1EventKind::evict, L1Operation::load, local},
                           {L1EventKind::miss, L1Operation::load, line(1)}});
    CHECK(recorder.events[1].pc == 8);
    CHECK(recorder.events[2].pc == 9);
    CHECK(recorder.events[3].warp == 5);
}

TEST_CASE("listeners tell loads from stores and atomics, and a store that hits from one that misses") {
    L1Bench bench(L1Bench::parameters(1, 2, "write_through"));
    bench.bring(line(0), pattern(0));
    Recorder recorder;
    bench.l1.subscribe(recorder);
    bench.load(line(0));
    bench.l1.store({.line = line(0), .pc = 8, .warp = 5}, mask_of(0, 4), pattern(1).data(), 0);
    bench.l1.store({.line = line(1), .pc = 9, .warp = 6}, mask_of(0, 4), pattern(1).data(), 0);
    bench.atomic(line(0));
    bench.load(line(1));
    check_heard(recorder, {{L1EventKind::hit, L1Operation::load, line(0)},
                           {L1EventKind::hit, L1Operation::store, line(0)},
                           {L1EventKind::miss, L1Operation::store, line(1)},
                           {L1EventKind::miss, L1Operation::atomic, line(0)},
                           {L1EventKind::invalidate, L1Operation::load, line(0)},
                           {L1EventKind::miss, L1Operation::load, line(1)}});
    CHECK(recorder.events[1].pc == 8);
    CHECK(recorder.events[1].warp == 5);
    CHECK(recorder.events[2].warp == 6);
    CHECK(recorder.events[2].way == kNoWay);
}

TEST_CASE("every subscriber hears the same, and an access that stalls is no event") {
    L1Bench bench(with(L1Bench::parameters(1, 1), &L1Parameters::mshrs, 1));
    Recorder first, second;
    bench.l1.subscribe(first);
    bench.l1.subscribe(second);
    REQUIRE(bench.load(line(0)).answer == L1Answer::miss);
    REQUIRE(bench.load(line(1)).answer == L1Answer::stall);
    bench.fill_oldest(pattern(0));
    for (const Recorder* each : {&first, &second}) {
        check_heard(*each,
                    {{L1EventKind::miss, L1Operation::load, line(0)}, {L1EventKind::fill, L1Operation::load, line(0)}});
    }
}

TEST_CASE("loads are counted by client and outcome") {
    L1Bench bench(L1Bench::parameters(1, 2));
    bench.load(line(0), 0, Client::prefetch);
    bench.load(line(0));
    bench.load(line(0));
    bench.fill_oldest(pattern(0));
    bench.load(line(0));
    bench.load_ordered(line(1));
    bench.store(line(0), pattern(1), mask_of(0, 4));
    const L1Counters& counters = bench.l1.counters();
    CHECK(counters.misses[client_index(Client::prefetch)] == 1);
    CHECK(counters.merges[client_index(Client::demand)] == 2);
    CHECK(counters.hits[client_index(Client::demand)] == 1);
    CHECK(counters.misses[client_index(Client::demand)] == 1);
    CHECK(counters.ordered_loads == 1);
    CHECK(counters.store_hits == 1);
    CHECK(counters.invalidations == 1);
    bench.fill_oldest(pattern(0));
    CHECK(counters.fills == 2);
    CHECK(counters.detached_fills == 1);
}

TEST_CASE("parameters that do not fit each other are refused by name") {
    L1Parameters parameters{.sets = 48};
    CHECK_THROWS_WITH_AS(parameters.check(), doctest::Contains("l1d.set_index"), ConfigurationError);
    parameters.set_index = "linear";
    parameters.check();
    parameters.sector_bytes = 64;
    CHECK_THROWS_WITH_AS(parameters.check(), doctest::Contains("l1d.sector_bytes"), ConfigurationError);
    parameters.sector_bytes = 32;
    parameters.ways = 60;
    parameters.prefetch_ways = 5;
    CHECK_THROWS_WITH_AS(parameters.check(), doctest::Contains("l1d.prefetch_ways"), ConfigurationError);
    parameters.prefetch_ways = 4;
    parameters.check();
    parameters.ways = 4;
    parameters.pending_ways = 1;
    CHECK_THROWS_WITH_AS(parameters.check(), doctest::Contains("l1d.pending_ways"), ConfigurationError);
    parameters.prefetch_ways = 0;
    parameters.pending_ways = 60;
    parameters.check();
    parameters.pending_ways = 61;
    CHECK_THROWS_WITH_AS(parameters.check(), doctest::Contains("l1d.pending_ways"), ConfigurationError);
}

/// Four ways of 1 KB.
L1Parameters with_shared_memory(const std::string& sizes) {
    return with(L1Bench::parameters(8, 4), &L1Parameters::shared_sizes, sizes);
}

TEST_CASE("sizes of shared memory are ascending numbers of KB that leave L1D a way") {
    CHECK(with_shared_memory("").sizes_of_shared_memory().empty());
    CHECK(with_shared_memory(" 0 1  3 ").sizes_of_shared_memory() == std::vector<std::uint32_t>{0, 1024, 3072});
    for (const char* sizes : {"4", "0 1 1", "2 1", "-1", "1.5", "1 KB", "0,1", "99999999999"}) {
        INFO(sizes);
        CHECK_THROWS_WITH_AS(with_shared_memory(sizes).sizes_of_shared_memory(),
                             doctest::Contains("ascending sizes in KB, at most 3"), ConfigurationError);
    }
}

TEST_CASE("a kernel's shared memory takes the least size that holds it, and lines have the ways that are left") {
    // Bytes of shared memory, and the lines of one set that remain.
    const struct {
        std::uint32_t bytes;
        unsigned lines;
    } cases[] = {{0, 4}, {1, 3}, {1024, 3}, {1025, 1}, {3072, 1}};
    for (const std::int64_t pending_ways : {0, 4}) {
        for (const auto& each : cases) {
            INFO(each.bytes, " bytes, pending_ways ", pending_ways);
            L1Bench bench(with(with_shared_memory("0 1 3"), &L1Parameters::pending_ways, pending_ways));
            bench.l1.shares().leave_to_shared_memory(3072);
            bench.l1.shares().leave_to_shared_memory(each.bytes);
            for (unsigned i = 0; i < 5; ++i) { bench.bring(line(8 * i), pattern(i)); }
            for (unsigned i = 0; i < 5; ++i) {
                CHECK(bench.state_of(line(8 * i)) == (i + each.lines >= 5 ? "valid" : "absent"));
            }
        }
    }
}

TEST_CASE("shared memory takes no way that is for prefetches, and of those that are left one is never locked") {
    L1Bench bench(with(with_shared_memory("0 1 2 3"), &L1Parameters::prefetch_ways, 1));
    bench.l1.reserve_locks(4);
    bench.l1.shares().leave_to_shared_memory(2048);
    CHECK(bench.load(line(0), 0, Client::prefetch).answer == L1Answer::miss);
    bench.fill_oldest(pattern(0));
    for (unsigned i = 1; i < 4; ++i) { bench.bring(line(8 * i), pattern(i)); }
    CHECK(bench.state_of(line(0)) == "valid");
    CHECK(bench.state_of(line(8)) == "absent");
    LineLock first = bench.l1.locks().lock(line(16));
    CHECK(first);
    CHECK(!bench.l1.locks().lock(line(24)));
    bench.l1.locks().unlock(first);
    bench.l1.shares().leave_to_shared_memory(3072);
    CHECK(!bench.l1.locks().may_ever(line(16), Client::demand));
}

L1Parameters with_tags_for_fills(unsigned ways, unsigned pending_ways, const std::string& policy = "write_evict") {
    return with(L1Bench::parameters(1, ways, policy), &L1Parameters::pending_ways, pending_ways);
}

TEST_CASE("with tags for fills a line makes room when the fill comes, and the line of the oldest use does") {
    L1Bench bench(with_tags_for_fills(2, 2));
    bench.bring_lines({0, 1});
    CHECK(bench.load(line(2)).answer == L1Answer::miss);
    CHECK(bench.load(line(3)).answer == L1Answer::miss);
    const L1LoadResult third = bench.load(line(4));
    CHECK(third.answer == L1Answer::stall);
    CHECK(third.failure == ReservationFailure::no_line);
    CHECK(bench.l1.counters().evictions == 0);
    CHECK(bench.load(line(0)).answer == L1Answer::hit);
    bench.fill_oldest(pattern(2));
    CHECK(bench.state_of(line(0)) == "valid");
    CHECK(bench.state_of(line(1)) == "absent");
    CHECK(bench.state_of(line(2)) == "valid");
    CHECK(bench.l1.counters().evictions == 1);
    CHECK(bench.load(line(4)).answer == L1Answer::miss);
}

TEST_CASE("with tags for fills a line is as old as its fill") {
    for (const std::string policy : {"lru", "fifo"}) {
        CAPTURE(policy);
        L1Bench bench(with_tags_for_fills(2, 2), policy);
        bench.load(line(0));
        bench.send_all();
        bench.bring(line(1), pattern(1));
        bench.fill_oldest(pattern(0));
        bench.bring(line(2), pattern(2));
        CHECK(bench.state_of(line(0)) == "valid");
        CHECK(bench.state_of(line(1)) == "absent");
    }
}

TEST_CASE("a set whose lines are not taken yet gives its tags to fills") {
    L1Bench bench(with_tags_for_fills(2, 1));
    for (unsigned i = 0; i < 3; ++i) { CHECK(bench.load(line(i)).answer == L1Answer::miss); }
    CHECK(bench.load(line(3)).answer == L1Answer::stall);
    for (unsigned i = 0; i < 3; ++i) { bench.fill_oldest(pattern(i)); }
    CHECK(bench.state_of(line(0)) == "absent");
    CHECK(bench.state_of(line(1)) == "valid");
    CHECK(bench.state_of(line(2)) == "valid");
}

constexpr std::uint64_t kPrivate = isa::kLocalMemoryBase;

L1StoreResult store_private(L1Bench& bench, unsigned number, unsigned bytes = kLineBytes) {
    return bench.l1.store_local({.line = kPrivate + line(number)}, mask_of(0, bytes), pattern(number).data(), 0);
}

TEST_CASE("a store to a part of a line that fetches the rest needs an MSHR and a place in the miss queue") {
    constexpr unsigned kPart = 4;
    for (const auto& [mshrs, places, failure] :
         {std::tuple{1, 8, ReservationFailure::no_mshr}, std::tuple{8, 1, ReservationFailure::miss_queue_full}}) {
        L1Bench bench(with(L1Bench::parameters(1, 4), &L1Parameters::local_write_policy, "write_back_fetch",
                           &L1Parameters::mshrs, mshrs, &L1Parameters::miss_queue, places));
        CHECK(store_private(bench, 0, kPart).answer == L1Answer::hit);
        CHECK(store_private(bench, 1).answer == L1Answer::hit);  // a whole line needs neither
        const L1StoreResult refused = store_private(bench, 2, kPart);
        CHECK(refused.answer == L1Answer::stall);
        CHECK(refused.failure == failure);
        CHECK(bench.state_of(kPrivate + line(2)) == "absent");
        bench.fill_oldest(pattern(7));
        CHECK(store_private(bench, 2, kPart).answer == L1Answer::hit);
        CHECK(bench.l1.counters().store_fetches == 2);
    }
}

TEST_CASE("a line that makes room for a store to a part goes before the read that the store sends") {
    for (const auto& [places, pending_ways] : {std::pair{2, 0}, std::pair{1, 0}, std::pair{2, 2}, std::pair{1, 2}}) {
        CAPTURE(places);
        CAPTURE(pending_ways);
        L1Bench bench(with(with_tags_for_fills(1, static_cast<unsigned>(pending_ways)),
                           &L1Parameters::local_write_policy, "write_back_fetch", &L1Parameters::miss_queue, places));
        REQUIRE(store_private(bench, 0).answer == L1Answer::hit);
        const L1StoreResult result = store_private(bench, 1, 4);
        CHECK((result.answer == L1Answer::stall) == (places == 1));
        const std::vector<GpuMessage> sent = bench.send_all();
        CHECK(sent.front() == GpuMessage::write_request);
        CHECK(sent.size() == static_cast<std::size_t>(places));
        if (places == 1) {
            CHECK(result.failure == ReservationFailure::write_back);
            CHECK(store_private(bench, 1, 4).answer == L1Answer::hit);
        }
        CHECK(bench.l1.counters().store_fetches == 1);
    }
}

TEST_CASE("a fill for which only a dirty line can make room is kept where its bytes have a place in the miss queue") {
    for (const bool queue_is_full : {false, true}) {
        CAPTURE(queue_is_full);
        L1Bench bench(with(with_tags_for_fills(1, 2), &L1Parameters::miss_queue, 1));
        REQUIRE(store_private(bench, 0).answer == L1Answer::hit);
        REQUIRE(bench.load(line(1), 11).answer == L1Answer::miss);
        bench.send_all();
        if (queue_is_full) { REQUIRE(bench.load(line(2)).answer == L1Answer::miss); }
        const auto served = bench.fill(bench.reads.front(), pattern(7));
        REQUIRE(served.size() == 1);
        CHECK(served[0].bytes == pattern(7));
        CHECK(bench.state_of(line(1)) == (queue_is_full ? "absent" : "valid"));
        CHECK(bench.state_of(kPrivate) == (queue_is_full ? "valid" : "absent"));
        CHECK(bench.l1.counters().write_backs == (queue_is_full ? 0 : 1));
        CHECK(bench.l1.miss_queue().size() == 1);
    }
}

TEST_CASE("with tags for fills a stored line takes the place of one that the set holds, and leaves the fills alone") {
    L1Bench bench(with(with_tags_for_fills(1, 2), &L1Parameters::miss_queue, 1));
    bench.bring(line(0), pattern(0));
    REQUIRE(bench.load(line(1)).answer == L1Answer::miss);
    bench.send_all();
    CHECK(store_private(bench, 0).answer == L1Answer::hit);
    CHECK(bench.state_of(line(0)) == "absent");
    CHECK(bench.state_of(line(1)) == "pending");
    SUBCASE("a dirty one as soon as its bytes have a place in the miss queue") {
        REQUIRE(bench.load(line(2)).answer == L1Answer::miss);
        const L1StoreResult refused = store_private(bench, 1);
        CHECK(refused.answer == L1Answer::stall);
        CHECK(refused.failure == ReservationFailure::miss_queue_full);
        CHECK(bench.state_of(kPrivate) == "valid");
        bench.send_all();
        CHECK(store_private(bench, 1).answer == L1Answer::hit);
        CHECK(bench.state_of(kPrivate) == "absent");
    }
    SUBCASE("also where a fill of it is under way, which is detached") {
        REQUIRE(bench.load(kPrivate + line(1)).answer == L1Answer::miss);
        bench.send_all();
        CHECK(store_private(bench, 1).answer == L1Answer::hit);
        CHECK(bench.state_of(kPrivate) == "absent");
        CHECK(bench.state_of(kPrivate + line(1)) == "valid");
        CHECK(bench.detached() == 1);
    }
}

TEST_CASE("with tags for fills a locked line does not make room, nor does one that is locked before its fill") {
    L1Bench bench(with(with_tags_for_fills(2, 2), &L1Parameters::pinned_ways, 1));
    bench.l1.reserve_locks(2);
    bench.bring_lines({0, 1});
    LineLock lock;
    REQUIRE(bench.l1.load_and_lock({.line = line(2)}, {.token = 1, .lanes = 1}, lock).answer == L1Answer::miss);
    CHECK(!bench.l1.locks().lock(line(0)));
    bench.fill_oldest(pattern(2));
    bench.bring_lines({3, 4});
    CHECK(bench.state_of(line(2)) == "valid");
    CHECK(bench.state_of(line(3)) == "absent");
    bench.l1.locks().unlock(lock);
    bench.bring(line(5), pattern(5));
    CHECK(bench.state_of(line(2)) == "absent");
}

L1Parameters with_sectors(unsigned ways, const std::string& policy = "write_evict") {
    return with(L1Bench::parameters(1, ways, policy), &L1Parameters::sector_bytes, 32);
}

bool sector_equal(const std::byte* data, unsigned sector, const LineBytes& bytes) {
    const unsigned first = sector * kSectorBytes;
    return std::memcmp(data + first, bytes.data() + first, kSectorBytes) == 0;
}

TEST_CASE("a miss asks for its sectors alone, and another sector of the line misses again without a way") {
    L1Bench bench(with_sectors(1));
    CHECK(bench.load_sectors(line(0), 0b0110).answer == L1Answer::miss);
    bench.send_all();
    CHECK(bench.reads.back().sectors == 0b0110);
    bench.fill_oldest(pattern(1));
    CHECK(bench.load_sectors(line(0), 0b0010).answer == L1Answer::hit);
    CHECK(bench.load_sectors(line(0), 0b0001).answer == L1Answer::miss);
    bench.fill_oldest(pattern(2));
    const L1LoadResult all = bench.load_sectors(line(0), 0b0111);
    REQUIRE(all.answer == L1Answer::hit);
    CHECK(sector_equal(all.data, 0, pattern(2)));
    CHECK(sector_equal(all.data, 1, pattern(1)));
    CHECK(sector_equal(all.data, 2, pattern(1)));
    CHECK(bench.l1.counters().sector_misses == 1);
    CHECK(bench.l1.counters().misses[0] == 2);
    CHECK(bench.l1.counters().evictions == 0);
}

TEST_CASE("a fill that lost a sector serves its older waiters with it and installs the others") {
    L1Bench bench(with_sectors(1));
    bench.load_sectors(line(0), 0b0011, 1);
    bench.store(line(0), pattern(9), mask_of(40, 4));  // sector 1
    CHECK(bench.load_sectors(line(0), 0b0010, 2).answer == L1Answer::miss);
    CHECK(bench.load_sectors(line(0), 0b0001, 3).answer == L1Answer::merge);
    const auto first = bench.fill_oldest(pattern(1));
    REQUIRE(first.size() == 2);
    CHECK(first[0].token == 1);
    CHECK(sector_equal(first[0].bytes.data(), 0, pattern(1)));
    CHECK(sector_equal(first[0].bytes.data(), 1, pattern(1)));
    CHECK(first[1].token == 3);
    CHECK(bench.state_of(line(0), 0) == "valid");
    CHECK(bench.state_of(line(0), 1) == "pending");
    const auto second = bench.fill_oldest(pattern(2));
    REQUIRE(second.size() == 1);
    CHECK(second[0].token == 2);
    const L1LoadResult both = bench.load_sectors(line(0), 0b0011);
    REQUIRE(both.answer == L1Answer::hit);
    CHECK(sector_equal(both.data, 0, pattern(1)));
    CHECK(sector_equal(both.data, 1, pattern(2)));
}

TEST_CASE("a write-through store over two fills and a copy changes each part in its place") {
    L1Bench bench(with_sectors(1, "write_through"));
    bench.bring_sectors(line(0), 0b0001, pattern(1));
    bench.load_sectors(line(0), 0b0010, 2);
    bench.load_sectors(line(0), 0b0100, 3);
    const ByteMask mask = mask_of(16, 60);  // sectors 0 to 2
    bench.store(line(0), pattern(9), mask);
    CHECK(bench.l1.counters().merged_stores == 2);
    CHECK(bench.fill_oldest(pattern(4))[0].bytes[40] == pattern(4)[40]);
    bench.fill_oldest(pattern(5));
    const L1LoadResult all = bench.load_sectors(line(0), 0b0111);
    REQUIRE(all.answer == L1Answer::hit);
    LineBytes expected = pattern(1);
    std::copy_n(pattern(4).begin() + 32, 32, expected.begin() + 32);
    std::copy_n(pattern(5).begin() + 64, 32, expected.begin() + 64);
    expected = overlaid(expected, pattern(9), mask);
    for (const unsigned sector : {0u, 1u, 2u}) { CHECK(sector_equal(all.data, sector, expected)); }
}

TEST_CASE("sectors are alike that are valid, absent, or pending with one fill") {
    L1Bench bench(with_sectors(1));
    bench.bring_sectors(line(0), 0b0001, pattern(1));
    bench.load_sectors(line(0), 0b0110);
    CHECK(bench.l1.alike(line(0), 0b1111) == 0b0001);
    CHECK(bench.l1.alike(line(0), 0b1110) == 0b0110);
    CHECK(bench.l1.alike(line(0), 0b1000) == 0b1000);
    CHECK(bench.l1.alike(line(1), 0b1111) == 0b1111);
}

}  // namespace
}  // namespace lookahead::gpu::test
