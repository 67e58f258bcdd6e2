// Locks of lines of L1: their effect from the request on, their number, and that each is returned once.
#include <doctest/doctest.h>

#include <random>
#include <utility>

#include "core/error/error.h"
#include "core/lp/audit.h"
#include "tests/components/cache/l1_bench.h"

namespace lookahead::gpu::test::line_locks_tests {
namespace {

struct LockBench : L1Bench {
    explicit LockBench(const L1Parameters& parameters, unsigned handles = 64) : L1Bench(parameters) {
        l1.reserve_locks(handles);
    }
    explicit LockBench(unsigned ways, unsigned handles = 64) : LockBench(L1Bench::parameters(1, ways), handles) {}

    L1LoadResult load_and_lock(std::uint64_t where, LineLock& lock, Client client = Client::demand) {
        return l1.load_and_lock({.line = where, .client = client}, {.token = 1, .lanes = 1}, lock);
    }
    std::vector<std::string> faults() const {
        Audit audit;
        l1.audit(audit, "l1");
        return audit.faults();
    }
};

TEST_CASE("a locked line is not replaced, and an unlocked one is again") {
    LockBench bench(2);
    bench.bring_lines({0, 1});
    LineLock lock = bench.l1.locks().lock(line(0));
    REQUIRE(lock);
    bench.bring(line(2), pattern(2));
    CHECK(bench.state_of(line(0)) == "valid");
    CHECK(bench.state_of(line(1)) == "absent");
    bench.load(line(2));
    bench.l1.locks().unlock(lock);
    CHECK_FALSE(lock);
    bench.bring(line(3), pattern(3));
    CHECK(bench.state_of(line(0)) == "absent");
}

TEST_CASE("a line is held from its request on, through its fill, and the lock knows its way") {
    LockBench bench(2);
    LineLock lock;
    CHECK(bench.load_and_lock(line(0), lock).answer == L1Answer::miss);
    REQUIRE(lock);
    CHECK(bench.state_of(line(0)) == "pending");
    CHECK(bench.l1.locks().way_of(lock) == bench.l1.tags().find(line(0)));
    bench.fill_oldest(pattern(0));
    for (unsigned i = 1; i < 6; ++i) {
        bench.bring(line(i), pattern(i));
        CHECK(bench.state_of(line(0)) == "valid");
    }
    bench.l1.locks().unlock(lock);
    bench.bring_lines({6, 7});
    CHECK(bench.state_of(line(0)) == "absent");
}

TEST_CASE("a line that another client awaits can be locked, with the access that joins it or without one") {
    LockBench bench(3);
    bench.load(line(0), 0, Client::prefetch);
    LineLock joined;
    CHECK(bench.load_and_lock(line(0), joined).answer == L1Answer::merge);
    LineLock alone = bench.l1.locks().lock(line(0));
    CHECK(alone);
    bench.fill_oldest(pattern(0));
    LineLock hit;
    CHECK(bench.load_and_lock(line(0), hit).answer == L1Answer::hit);
    for (LineLock* each : {&joined, &alone, &hit}) {
        bench.bring_lines({1, 2, 3});
        CHECK(bench.state_of(line(0)) == "valid");
        bench.l1.locks().unlock(*each);
    }
    bench.bring_lines({4, 5});
    CHECK(bench.state_of(line(0)) == "absent");
}

TEST_CASE("a line that a prefetch brought into the only way of its kind is never locked, others when locks end") {
    LockBench bench(with(L1Bench::parameters(1, 3), &L1Parameters::prefetch_ways, 1));
    bench.bring(line(0), pattern(0));
    CHECK(bench.l1.locks().may_ever(line(0), Client::demand));
    CHECK(bench.l1.locks().may_ever(line(9), Client::demand));
    CHECK_FALSE(bench.l1.locks().may_ever(line(9), Client::prefetch));
    LineLock first, second, third;
    CHECK_FALSE(bench.l1.locks().refuses(line(0), Client::demand));
    CHECK(bench.load_and_lock(line(0), first).answer == L1Answer::hit);
    CHECK(bench.load_and_lock(line(1), second).answer == L1Answer::miss);
    CHECK(bench.l1.locks().refuses(line(2), Client::demand));
    CHECK(bench.l1.locks().may_ever(line(2), Client::demand));
    REQUIRE(bench.l1.load({.line = line(3), .client = Client::prefetch}, {}).answer == L1Answer::miss);
    CHECK(bench.l1.locks().refuses(line(3), Client::demand));
    CHECK_FALSE(bench.l1.locks().may_ever(line(3), Client::demand));
    CHECK(bench.load_and_lock(line(3), third).answer == L1Answer::stall);
    bench.l1.locks().unlock(second);
    CHECK_FALSE(bench.l1.locks().refuses(line(2), Client::demand));
    CHECK(bench.l1.locks().refuses(line(3), Client::demand));
    bench.l1.locks().unlock(first);
}

TEST_CASE("one way of a set stays without a lock: N - 1 lines are locked, pending ones too, and not N") {
    LockBench bench(3);
    LineLock first, second, third;
    CHECK(bench.load_and_lock(line(0), first).answer == L1Answer::miss);
    CHECK(bench.load_and_lock(line(1), second).answer == L1Answer::miss);
    const L1LoadResult refused = bench.load_and_lock(line(2), third);
    CHECK(refused.answer == L1Answer::stall);
    CHECK(refused.failure == ReservationFailure::no_line);
    CHECK_FALSE(third);
    CHECK(bench.state_of(line(2)) == "absent");
    bench.bring(line(2), pattern(2));  // without a lock it takes the remaining way
    CHECK_FALSE(bench.l1.locks().lock(line(2)));
    CHECK(bench.load_and_lock(line(2), third).answer == L1Answer::stall);
    LineLock again = bench.l1.locks().lock(line(0));  // another lock of a locked line takes no further way
    CHECK(again);
    bench.l1.locks().unlock(again);
    CHECK_FALSE(bench.l1.locks().lock(line(2)));
    bench.l1.locks().unlock(first);
    third = bench.l1.locks().lock(line(2));
    CHECK(third);
}

TEST_CASE("the parameter may allow fewer locked lines, and a direct-mapped cache none") {
    LockBench bench(with(L1Bench::parameters(2, 4), &L1Parameters::pinned_ways, 1));
    for (const unsigned number : {0u, 2u, 1u}) { bench.bring(line(number), pattern(number)); }
    LineLock first = bench.l1.locks().lock(line(0));
    CHECK(first);
    CHECK_FALSE(bench.l1.locks().lock(line(2)));
    LineLock other_set = bench.l1.locks().lock(line(1));
    CHECK(other_set);
    LockBench direct(1);
    direct.bring(line(0), pattern(0));
    CHECK_FALSE(direct.l1.locks().lock(line(0)));
}

TEST_CASE("lines that are neither there nor awaited cannot be locked, nor without a handle that is left") {
    LockBench bench(4, 1);
    CHECK_FALSE(bench.l1.locks().lock(line(0)));
    LineLock lock, second;
    CHECK(bench.load_and_lock(line(0), lock).answer == L1Answer::miss);
    CHECK_FALSE(bench.l1.locks().lock(line(0)));
    CHECK(bench.load_and_lock(line(1), second).answer == L1Answer::stall);
    bench.l1.locks().unlock(lock);
    CHECK(bench.load_and_lock(line(1), second).answer == L1Answer::miss);
}

TEST_CASE("a load that stalls locks nothing") {
    LockBench bench(with(L1Bench::parameters(1, 4), &L1Parameters::mshrs, 1), 1);
    bench.load(line(0));
    LineLock lock;
    const L1LoadResult result = bench.load_and_lock(line(1), lock);
    CHECK(result.answer == L1Answer::stall);
    CHECK(result.failure == ReservationFailure::no_mshr);
    CHECK_FALSE(lock);
    bench.fill_oldest(pattern(0));
    lock = bench.l1.locks().lock(line(0));
    CHECK(lock);
}

TEST_CASE("what takes a line takes it from its lock, which then holds no later line and no other's way") {
    for (const std::string taker : {"atomic", "ordered load", "generation"}) {
        for (const bool pending : {false, true}) {
            CAPTURE(taker);
            CAPTURE(pending);
            LockBench bench(2);
            LineLock lost;
            bench.load_and_lock(line(0), lost);
            if (!pending) { bench.fill_oldest(pattern(0)); }
            taker == "atomic"         ? bench.atomic(line(0))
            : taker == "ordered load" ? static_cast<void>(bench.load_ordered(line(0)))
                                      : bench.l1.start_generation();
            CHECK(bench.state_of(line(0)) == "absent");
            CHECK(bench.l1.locks().way_of(lost) == kNoWay);
            // Another client locks the same line.
            LineLock kept;
            REQUIRE(bench.load_and_lock(line(0), kept).answer == L1Answer::miss);
            bench.l1.locks().unlock(lost);
            bench.fill_all(pattern(0));
            bench.bring_lines({1, 2});
            CHECK(bench.state_of(line(0)) == "valid");
            bench.l1.locks().unlock(kept);
            CHECK(bench.faults().empty());
        }
    }
}

TEST_CASE("a store updates a locked line and its fill under write_evict too, and takes one that is not locked") {
    for (const bool pending : {false, true}) {
        CAPTURE(pending);
        LockBench bench(2);
        LineLock lock;
        bench.load_and_lock(line(0), lock);
        bench.load(line(1));
        if (!pending) {
            bench.fill_oldest(pattern(0));
            bench.fill_oldest(pattern(0));
        }
        bench.store(line(0), pattern(1), mask_of(0, 4));
        bench.store(line(1), pattern(1), mask_of(0, 4));
        bench.fill_all(pattern(0));
        CHECK(bench.l1.locks().way_of(lock) != kNoWay);
        CHECK(bench.state_of(line(0)) == "valid");
        CHECK(bench.state_of(line(1)) == "absent");
        const std::byte* data = bench.load(line(0)).data;
        REQUIRE(data != nullptr);
        for (unsigned byte = 0; byte < kLineBytes; ++byte) { CHECK(data[byte] == pattern(byte < 4 ? 1 : 0)[byte]); }
        bench.l1.locks().unlock(lock);
        bench.store(line(0), pattern(2), mask_of(0, 4));
        CHECK(bench.state_of(line(0)) == "absent");
    }
}

TEST_CASE("a store that the fill of a locked line has no room for takes the line from its lock") {
    LockBench bench(with(L1Bench::parameters(1, 2), &L1Parameters::merged_stores, 1));
    LineLock lock;
    bench.load_and_lock(line(0), lock);
    bench.store(line(0), pattern(1), mask_of(0, 4));
    CHECK(bench.l1.locks().way_of(lock) != kNoWay);
    bench.store(line(0), pattern(1), mask_of(4, 4));
    CHECK(bench.l1.locks().way_of(lock) == kNoWay);
    CHECK(bench.state_of(line(0)) == "absent");
    bench.l1.locks().unlock(lock);
    bench.fill_oldest(pattern(0));
    CHECK(bench.faults().empty());
}

TEST_CASE("a lock is given back once, and none is overwritten") {
    LockBench bench(4);
    bench.bring_lines({0, 1});
    LineLock lock = bench.l1.locks().lock(line(0));
    LineLock moved = std::move(lock);
    CHECK_FALSE(lock);
    CHECK(moved);
    CHECK_THROWS_AS(bench.l1.locks().unlock(lock), InternalError);
    LineLock other = bench.l1.locks().lock(line(1));
    CHECK_THROWS_AS(other = std::move(moved), InternalError);
    REQUIRE(moved);
    CHECK(bench.faults().size() > 0);
    bench.l1.locks().unlock(moved);
    CHECK_THROWS_AS(bench.l1.locks().unlock(moved), InternalError);
    bench.l1.locks().unlock(other);
    CHECK(bench.faults().empty());
}

TEST_CASE("a handle from a checkpoint ends its lock in the restored cache, and only one that is out there") {
    const L1Parameters parameters = L1Bench::parameters(1, 2);
    LockBench original(parameters);
    LineLock held;
    REQUIRE(original.load_and_lock(line(0), held).answer == L1Answer::miss);
    LineLock early = original.l1.locks().lock(line(0));
    const std::string early_handle = saved_state(early);
    original.l1.locks().unlock(early);
    original.send_all();
    const std::string handle = saved_state(held);

    LockBench restored(parameters);
    restored.take_state_of(original);
    LineLock again;
    load_state(again, handle);
    CHECK(restored.hash() == original.hash());
    CHECK(restored.l1.locks().way_of(again) == original.l1.locks().way_of(held));
    restored.fill_oldest(pattern(0));
    restored.bring_lines({1, 2, 3});
    CHECK(restored.state_of(line(0)) == "valid");
    LineLock stale;
    load_state(stale, early_handle);
    CHECK_THROWS_AS(restored.l1.locks().unlock(stale), InternalError);
    restored.l1.locks().unlock(again);
    LineLock twice;
    load_state(twice, handle);
    CHECK_THROWS_AS(restored.l1.locks().unlock(twice), InternalError);
    // The entry is reused: the older handle differs from the newer one.
    restored.bring(line(5), pattern(5));
    LineLock newer = restored.l1.locks().lock(line(5));
    REQUIRE(newer);
    CHECK_THROWS_AS(restored.l1.locks().unlock(twice), InternalError);
    restored.l1.locks().unlock(newer);
    CHECK(restored.faults().empty());
}

TEST_CASE("the hash of L1's state tells which lines are locked") {
    LockBench bench(2);
    bench.bring(line(0), pattern(0));
    const std::uint64_t before = bench.hash();
    const LineLock lock = bench.l1.locks().lock(line(0));
    REQUIRE(lock);
    CHECK(bench.hash() != before);
}

struct Held {
    std::uint64_t line;
    LineLock lock;
    bool lost = false;
};

TEST_CASE("under random events no locked line makes room, and every lock that is given back leaves none behind") {
    for (const std::string policy : {"write_evict", "write_through"}) {
        for (unsigned seed = 1; seed <= 40; ++seed) {
            CAPTURE(policy);
            CAPTURE(seed);
            std::mt19937 random(seed);
            LockBench bench(with(L1Bench::parameters(2, 1 + seed % 4, policy), &L1Parameters::mshrs, 6), 6);
            std::deque<Held> locks;
            for (unsigned i = 0; i < 400; ++i) {
                const std::uint64_t where = line(random() % 12);
                bool takes = false;
                switch (random() % 8) {
                    case 0:
                        takes = bench.l1.can_write();
                        if (takes) { bench.store(where, pattern(i), mask_of(random() % 100, 7)); }
                        break;
                    case 1:
                        takes = bench.load_ordered(where).answer != L1Answer::stall;
                        break;
                    case 2:
                        if (!locks.empty()) {
                            bench.l1.locks().unlock(locks.front().lock);
                            locks.pop_front();
                        }
                        break;
                    case 3:
                    case 4: {
                        LineLock lock;
                        if (bench.load_and_lock(where, lock).answer != L1Answer::stall) {
                            locks.push_back({where, std::move(lock)});
                        }
                        break;
                    }
                    case 5:
                        bench.send_all();
                        if (!bench.reads.empty()) { bench.fill_oldest(pattern(i)); }
                        break;
                    default:
                        bench.load(where);
                        break;
                }
                for (Held& each : locks) {
                    const std::uint32_t way = bench.l1.locks().way_of(each.lock);
                    if (way != kNoWay) {
                        REQUIRE_FALSE(each.lost);
                        REQUIRE(bench.l1.tags().line(way) == each.line);
                    } else if (!each.lost) {
                        REQUIRE((takes && each.line == where));
                        each.lost = true;
                    }
                }
            }
            for (Held& each : locks) { bench.l1.locks().unlock(each.lock); }
            bench.fill_all(pattern(0));
            REQUIRE(bench.faults().empty());
        }
    }
}

}  // namespace
}  // namespace lookahead::gpu::test::line_locks_tests
