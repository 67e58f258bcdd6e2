// The services of the load/store unit and L1 for a companion of L1, one rule per test: those that the tests of the
// affine vector cache, the companion of the product, do not show.
#include <doctest/doctest.h>

#include "tests/components/sm/lsu/local_accesses.h"
#include "tests/components/sm/lsu/word_companion.h"

namespace lookahead::gpu::test::companion_tests {
namespace {

const isa::Instruction kStore = make_memory(Operation::store, Type::u32, Space::local);
const isa::Instruction kLoad = make_memory(Operation::load, Type::u32, Space::local);
constexpr isa::LaneMask kLower = 0x0000ffff;

/// Even values belong to the companion, odd ones to L1.
struct Beside : LocalWords {
    explicit Beside(const Overrides& more = {}) : LocalWords(with_companion(more)) {}
    static Overrides with_companion(Overrides overrides) {
        overrides.push_back("l1d.companion=words");
        return overrides;
    }

    void access(const isa::Instruction& what, unsigned word, std::uint32_t value, isa::LaneMask active) {
        issue(of(what, lanes_at(4 * word), active, all(value)));
    }
    void store(unsigned word, std::uint32_t value, isa::LaneMask active = isa::kFullMask) {
        access(kStore, word, value, active);
        REQUIRE(drain());
    }
    /// Returns the cycles that the load takes.
    Cycle load(unsigned word, isa::LaneMask active = isa::kFullMask) {
        completions.clear();
        const Cycle begin = now;
        access(kLoad, word, 0, active);
        REQUIRE(drain());
        REQUIRE(completions.size() == 1);
        return completions[0].cycle - begin;
    }
    std::uint32_t in(unsigned lane) { return registers.row(8)[lane]; }
};

TEST_CASE("a load of words of both is served in two accesses") {
    Beside bench({"l1d.hit_latency=20"});
    bench.store(3, 41);          // L1 has the line
    bench.store(3, 40, kLower);  // and half of its words are stale
    const std::uint64_t before = bench.unit->counters().global_accesses;
    CHECK(bench.load(3) == 22);
    CHECK(bench.unit->counters().global_accesses == before + 2);
    CHECK(bench.in(0) == 40);
    CHECK(bench.in(16) == 41);
    CHECK(bench.reads() == 0);
}

TEST_CASE("what is not in the companion is asked of memory, which does not overwrite what is") {
    Beside bench;
    bench.store(3, 40, kLower);
    bench.memory.set_word(bench.address(3, 31), 77);
    bench.load(3);
    CHECK(bench.reads() == 1);
    CHECK(bench.in(0) == 40);
    CHECK(bench.in(31) == 77);
}

TEST_CASE("words that leave the companion go to memory with L1's dirty ones beside them, and L1's copy goes") {
    Beside bench;
    bench.store(3, 41);          // dirty in L1
    bench.store(3, 40, kLower);  // newer, in the companion
    bench.store(3, 50, ~kLower & ~(1u << 31));
    CHECK(bench.writes() == 1);  // 50 conflicts with 40 (WordCompanion)
    CHECK(bench.in_memory(3, 0) == 40);
    CHECK(bench.in_memory(3, 16) == 41);
    CHECK(bench.in_memory(3, 31) == 41);
    CHECK(bench.l1().written_back_bytes == 64);
    CHECK(bench.l1().discarded_bytes == 64);
    bench.load(3);
    CHECK(bench.in(0) == 40);
    CHECK(bench.in(30) == 50);
    CHECK(bench.in(31) == 41);
    CHECK(bench.reads() == 1);
}

TEST_CASE("an atomic finds in L2 what L1 has written back for it, which no companion takes") {
    Beside bench;
    const isa::Instruction half = make_memory(Operation::store, Type::u16, Space::local);
    const isa::Instruction add = make_atomic(isa::AtomicOp::add, Operation::reduce, Space::generic);
    for (const unsigned byte : {12u, 14u}) {  // the halves of words that the companion would take whole
        bench.issue(bench.of(half, lanes_at(byte), isa::kFullMask, Beside::all(40)));
    }
    bench.perform(bench.of(add, lanes_at(isa::kLocalWindowBase + 12), isa::kFullMask, Beside::all(2)));
    CHECK(bench.in_memory(3, 7) == (40u << 16) + 42);
    bench.load(3);
    CHECK(bench.in(7) == (40u << 16) + 42);
}

TEST_CASE("a write-back waits for a place in the miss queue, and the store that needs it with it") {
    Beside bench({"l1d.miss_queue=1"});
    bench.store(3, 40);
    bench.port().opens_at = bench.now + 200;
    bench.access(kLoad, 20, 0, isa::kFullMask);  // its request fills the queue
    bench.access(kStore, 3, 50, kLower);
    bench.run_to(bench.now + 100);
    CHECK(bench.writes() == 0);
    CHECK_FALSE(bench.unit->drained());
    REQUIRE(bench.drain());
    CHECK(bench.writes() == 1);
    bench.load(3);
    CHECK(bench.in(15) == 50);
    CHECK(bench.in(16) == 40);
}

TEST_CASE("the end of a kernel waits until the companion has let everything go; its begin makes it forget") {
    Beside bench;
    bench.store(3, 40);
    bench.store(6, 40);
    bench.unit->end_launch();
    CHECK_FALSE(bench.unit->drained());
    CHECK(bench.unit->next_event(bench.now) == bench.now + 1);
    REQUIRE(bench.drain());
    CHECK(bench.writes() == 2);
    CHECK(bench.in_memory(3, 5) == 40);

    bench.store(9, 44);
    bench.unit->begin_kernel();
    bench.load(9);
    CHECK(bench.in(5) == 0);
}

TEST_CASE("a companion beside an L1 that writes local stores through is refused by name") {
    for (const char* policy : {"write_through", "write_evict"}) {
        CHECK_THROWS_WITH_AS(Beside({std::string("l1d.local_write_policy=") + policy}),
                             doctest::Contains("l1d.companion = \"words\""), ConfigurationError);
    }
    CHECK_NOTHROW(Beside({"l1d.local_write_policy=write_back_no_allocate"}));
    CHECK_NOTHROW(Beside({"l1d.local_write_policy=write_back_fetch"}));
}

}  // namespace
}  // namespace lookahead::gpu::test::companion_tests
