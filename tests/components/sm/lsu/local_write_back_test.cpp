// Local memory that stays in L1: random accesses compared with plain arrays, and the exact cost of stores in cycles and
// bytes.
#include <doctest/doctest.h>

#include "tests/components/sm/lsu/local_accesses.h"

namespace lookahead::gpu::test::local_write_back_tests {
namespace {

TEST_CASE("loads of local memory read what the thread stored last, whatever L1 and the policy") {
    for (const char* policy :
         {"write_back", "write_back_fetch", "write_back_no_allocate", "write_through", "write_evict"}) {
        std::uint64_t write_backs = 0;
        std::uint64_t waits = 0;
        std::uint64_t fetches = 0;
        for (unsigned seed = 1; seed <= 60; ++seed) {
            CAPTURE(policy);
            CAPTURE(seed);
            Bench bench(tight(seed, policy));
            CHECK(RandomAccesses(seed, bench).run(2000));
            const L1Counters& counters = bench.unit->l1().counters();
            CHECK(audit_of(bench) == "");
            CHECK(counters.local_stores > 0);
            write_backs += counters.write_backs;
            fetches += counters.store_fetches;
            waits += counters.failure_cycles[static_cast<std::size_t>(ReservationFailure::pending_store)] > 0;
            bench.unit->begin_kernel();
            CHECK(audit_of(bench) == "");
            CHECK(counters.dirtied_bytes == counters.written_back_bytes + counters.discarded_bytes);
        }
        CHECK((write_backs > 100) == (policy[6] == 'b'));
        CHECK((fetches > 100) == (std::string(policy) == "write_back_fetch"));
        CHECK((waits > 5) == (std::string(policy) == "write_back" || std::string(policy) == "write_back_fetch"));
    }
}

// ---- To the cycle and the byte --------------------------------------------------------------------------------------

const isa::Instruction kStore = make_memory(Operation::store, Type::u32, Space::local);
const isa::Instruction kStoreByte = make_memory(Operation::store, Type::u8, Space::local);
const isa::Instruction kLoad = make_memory(Operation::load, Type::u32, Space::local);

struct Local : LocalWords {
    using LocalWords::LocalWords;

    void access(const isa::Instruction& what, unsigned word, isa::LaneMask active = isa::kFullMask, unsigned row = 0) {
        issue(of(
            what, lanes_at(4 * word), active, [=](unsigned lane) { return 1000 * word + lane; }, row));
    }
    Cycle load(unsigned word, isa::LaneMask active = isa::kFullMask, unsigned row = 0) {
        const Cycle begun = now;
        completions.clear();
        access(kLoad, word, active, row);
        while (completions.empty()) { step(); }
        return completions.front().cycle - begun;
    }
};

const Bench::Overrides kOneSet = {"l1d.sets=1", "l1d.set_index=linear", "l1d.ways=4"};

TEST_CASE("a load after a store to local memory takes L1's latency and no message") {
    Local bench;
    bench.access(kStore, 3);
    const Cycle hit = bench.load(3);
    CHECK(hit == 35);
    CHECK(bench.registers.row(0)[7] == 3007);
    CHECK(bench.reads() == 0);
    CHECK(bench.writes() == 0);
    CHECK(bench.l1().local_hits == 1);
    CHECK(bench.load(4) > hit);
    CHECK(bench.reads() == 1);
    CHECK(bench.l1().local_misses == 1);
}

TEST_CASE("as many lines as ways stay; one more writes back exactly one, with its bytes alone") {
    for (const bool loads : {false, true}) {
        Local bench(kOneSet);
        bench.access(kStoreByte, 0);  // 32 bytes, one word apart
        for (unsigned word = 1; word < 4; ++word) { bench.access(kStore, word); }
        REQUIRE(bench.drain());
        CHECK(bench.writes() == 0);
        CHECK(bench.l1().dirtied_bytes == 32 + 3 * kLineBytes);
        if (loads) {
            bench.load(9);
        } else {
            bench.access(kStore, 9);
        }
        REQUIRE(bench.drain());
        CHECK(bench.writes() == 1);
        CHECK(bench.l1().write_backs == 1);
        CHECK(bench.l1().written_back_bytes == 32);
        CHECK(bench.memory.word(isa::kLocalMemoryBase + 4) == 1);
        bench.load(0);
        CHECK(bench.registers.row(0)[31] == 31);
        CHECK(bench.writes() == 2);
    }
}

TEST_CASE("a store to bytes that are dirty sends nothing and dirties nothing more") {
    Local bench(kOneSet);
    for (unsigned i = 0; i < 5; ++i) { bench.access(kStore, 0); }
    REQUIRE(bench.drain());
    CHECK(bench.l1().local_stores == 5);
    CHECK(bench.l1().local_store_hits == 4);
    CHECK(bench.l1().dirtied_bytes == kLineBytes);
    CHECK(bench.writes() == 0);
}

TEST_CASE("a load of half a stored line fetches nothing if the half is there, and the line if not") {
    constexpr isa::LaneMask kLower = 0xffff;
    for (const char* sectors : {"l1d.sector_bytes=128", "l1d.sector_bytes=32"}) {
        Local bench({sectors});
        bench.access(kStore, 0, kLower & ~1u);
        CHECK(bench.load(0, kLower & ~1u) == 35);
        CHECK(bench.reads() == 0);
        CHECK(bench.load(0, isa::kFullMask) > 35);
        CHECK(bench.reads() >= 1);
        CHECK(bench.registers.row(0)[15] == 15);
        CHECK(bench.registers.row(0)[16] == 0);
        CHECK(bench.load(0, isa::kFullMask) == 35);
        CHECK(bench.writes() == 0);
    }
}

TEST_CASE("under write_back_fetch a store to a part of a line asks for the line once, and does not wait for it") {
    constexpr isa::LaneMask kLower = 0xffff;
    const auto reads = [](const char* policy, bool there, isa::LaneMask lanes) {
        Local bench({std::string("l1d.local_write_policy=") + policy});
        if (there) { bench.load(0); }
        bench.access(kStore, 0, lanes);
        CHECK(bench.load(0, lanes) == 35);
        bench.access(kStore, 0, lanes);
        REQUIRE(bench.drain());
        CHECK(bench.load(0, isa::kFullMask) >= 35);
        CHECK(bench.registers.row(0)[7] == 7);
        CHECK(bench.writes() == 0);
        return std::pair(bench.reads(), bench.l1().store_fetches);
    };
    CHECK(reads("write_back_fetch", false, kLower) == std::pair(1u, std::uint64_t{1}));
    CHECK(reads("write_back_fetch", false, isa::kFullMask) == std::pair(0u, std::uint64_t{0}));
    CHECK(reads("write_back_fetch", true, kLower) == std::pair(1u, std::uint64_t{0}));
    CHECK(reads("write_back", false, kLower) == std::pair(1u, std::uint64_t{0}));  // the load of all lanes does
}

TEST_CASE("what a store to local memory sends depends on the policy") {
    const auto sent = [](const char* policy, bool there) {
        Local bench({std::string("l1d.local_write_policy=") + policy});
        if (there) { bench.load(0); }
        bench.access(kStore, 0);
        REQUIRE(bench.drain());
        const bool hits = bench.load(0) == 35;
        return std::pair(bench.writes(), hits);
    };
    CHECK(sent("write_back", false) == std::pair(0u, true));
    CHECK(sent("write_back", true) == std::pair(0u, true));
    CHECK(sent("write_back_fetch", false) == std::pair(0u, true));
    CHECK(sent("write_back_no_allocate", false) == std::pair(1u, false));
    CHECK(sent("write_back_no_allocate", true) == std::pair(0u, true));
    CHECK(sent("write_through", false) == std::pair(1u, false));
    CHECK(sent("write_through", true) == std::pair(1u, true));
    CHECK(sent("write_evict", false) == std::pair(1u, false));
    CHECK(sent("write_evict", true) == std::pair(1u, false));
}

TEST_CASE("a write-back needs a place in the miss queue, and what wants the way waits for the next") {
    for (const auto& [places, waits] : {std::pair{2, false}, std::pair{1, true}}) {
        Local bench({"l1d.sets=1", "l1d.set_index=linear", "l1d.ways=1", "l1d.pinned_ways=0",
                     "l1d.miss_queue=" + std::to_string(places)});
        bench.access(kStore, 0);
        bench.load(1);
        const auto cycles = bench.l1().failure_cycles[static_cast<std::size_t>(ReservationFailure::write_back)];
        CHECK((cycles > 0) == waits);
        CHECK(bench.l1().write_backs == 1);
    }
}

TEST_CASE("a fence leaves dirty lines in L1 and does not wait for their write-backs; a kernel's begin drops them") {
    Local bench(kOneSet);
    const isa::Instruction fence = make_fence();
    for (unsigned word = 0; word < 5; ++word) { bench.access(kStore, word); }
    bench.memory.set_delay([](unsigned, std::uint64_t, bool) { return 500; });
    bench.step();
    const Cycle begun = bench.now;
    bench.completions.clear();
    bench.issue_fence(fence);
    while (bench.completions.empty()) { bench.step(); }
    CHECK(bench.now - begun < 10);
    CHECK(bench.load(2) == 35);
    CHECK(bench.registers.row(0)[3] == 2003);
    REQUIRE(bench.drain());
    bench.unit->begin_kernel();
    CHECK(bench.l1().discarded_bytes == 4 * kLineBytes);
    CHECK(bench.load(2) > 35);
}

}  // namespace
}  // namespace lookahead::gpu::test::local_write_back_tests
