#include <doctest/doctest.h>

#include <vector>

#include "components/sm/pipeline/operand_collectors.h"
#include "core/error/error.h"
#include "tests/support/with.h"

namespace lookahead::gpu {
namespace {

using lookahead::test::with;

/// Collectors with their units; by default a pass begins at cycle 100.
struct Bench {
    explicit Bench(const SmParameters& sm = {}) : parameters(sm), units(sm), collectors(sm) {}

    /// Cycles from the issue at `now` to the unit.
    Cycle pass(ExecutionUnit unit, const std::vector<std::uint16_t>& rows, unsigned initiation = 1, Cycle now = 100,
               unsigned latency = 4) {
        UnitPool* pool = unit == ExecutionUnit::memory ? nullptr : &units;
        const auto row_of = [&](unsigned i) { return rows[i]; };
        return collectors.pass(unit, static_cast<unsigned>(rows.size()), row_of, initiation, latency, pool, now) - now;
    }

    SmParameters parameters;
    UnitPool units;
    OperandCollectors collectors;
};

TEST_CASE("an instruction without operands reaches its unit in three cycles, with operands in four") {
    CHECK(Bench().pass(ExecutionUnit::sp, {}) == 3);
    CHECK(Bench().pass(ExecutionUnit::sp, {0}) == 4);
    CHECK(Bench().pass(ExecutionUnit::memory, {0}) == 4);
    CHECK(Bench().pass(ExecutionUnit::dp, {0, 1, 2, 3, 4, 5}) == 4);
}

TEST_CASE("operands in one bank are read one after the other, those in different banks together") {
    CHECK(Bench().pass(ExecutionUnit::sp, {0, 16}) == 5);
    CHECK(Bench().pass(ExecutionUnit::sp, {0, 15}) == 4);
    CHECK(Bench().pass(ExecutionUnit::sp, {3, 19, 35}) == 6);
    SmParameters one_bank;
    one_bank.register_banks = 1;
    CHECK(Bench(one_bank).pass(ExecutionUnit::sp, {0, 1, 2}) == 6);
}

TEST_CASE("two instructions contend for a bank, and the one that issued first is served first") {
    Bench bench;
    CHECK(bench.pass(ExecutionUnit::sp, {0}) == 4);
    CHECK(bench.pass(ExecutionUnit::memory, {16}) == 5);
    CHECK(bench.pass(ExecutionUnit::sfu, {1}) == 4);
}

TEST_CASE("a write takes its bank for its cycle alone") {
    for (const Cycle written : {101, 102, 103}) {
        Bench bench;
        bench.collectors.write(16, written, 100);
        // The read is in cycle 102.
        CHECK(bench.pass(ExecutionUnit::sp, {0}) == (written == 102 ? 5 : 4));
    }
}

TEST_CASE("banks forget what is past") {
    Bench bench;
    for (Cycle now = 100; now < 400; now += 3) { CHECK(bench.pass(ExecutionUnit::sp, {0}, 1, now) == 4); }
}

TEST_CASE("an instruction waits in its latch for a collector unit") {
    Bench bench(with(SmParameters{}, &SmParameters::collector_units, 1));
    // The first one's collector is taken from 101 to 103, when it moves to the latch before its unit.
    CHECK(bench.pass(ExecutionUnit::sp, {0}) == 4);
    CHECK(bench.collectors.next_free(ExecutionUnit::sp) == 0);
    CHECK(bench.pass(ExecutionUnit::sp, {1}) == 6);
    CHECK(bench.collectors.next_free(ExecutionUnit::sp) == 101);
    Bench two;
    CHECK(two.pass(ExecutionUnit::sp, {0}) == 4);
    CHECK(two.pass(ExecutionUnit::sp, {1}) == 4);
}

TEST_CASE("a busy unit backs up through its latch and the collectors to the issue latch") {
    Bench bench;
    // One SFU with an initiation interval of 8: one instruction in it, one in its latch, eight in collectors, one in
    // the issue latch.
    for (Cycle i = 0; i < 10; ++i) {
        CHECK(bench.pass(ExecutionUnit::sfu, {}, 8, 100 + i) + i == 3 + 8 * i);
        CHECK(bench.collectors.next_free(ExecutionUnit::sfu) == 101 + i);
    }
    // The eleventh waits for the third one's collector, which is free when the second has left the unit's latch.
    bench.pass(ExecutionUnit::sfu, {}, 8, 110);
    CHECK(bench.collectors.next_free(ExecutionUnit::sfu) == 100 + 3 + 8);
    CHECK(bench.collectors.next_free(ExecutionUnit::dp) == bench.collectors.next_free(ExecutionUnit::sfu));
    CHECK(bench.collectors.next_free(ExecutionUnit::sp) == 0);
}

TEST_CASE("no wait is longer than longest_wait, and a full path comes near it") {
    constexpr Cycle kInitiation = 130;
    Bench bench;
    Cycle longest = 0;
    for (Cycle now = 100; now < 20'000; ++now) {
        if (bench.collectors.next_free(ExecutionUnit::dp) <= now) {
            longest = std::max(longest, bench.pass(ExecutionUnit::dp, {0, 16, 32, 48, 64, 80}, kInitiation, now));
        }
    }
    const Cycle bound = bench.collectors.longest_wait(kInitiation);
    CHECK(longest <= bound);
    CHECK(longest > bound - 3 * kInitiation);
}

TEST_CASE("a number of banks that is no power of two is refused") {
    const SmParameters parameters = with(SmParameters{}, &SmParameters::register_banks, 12);
    CHECK_THROWS_WITH_AS(OperandCollectors{parameters}, "sm.register_banks is 12; give a power of two",
                         ConfigurationError);
}

/// The cycles in which SP units take instructions of these latencies that could all begin at once.
std::vector<Cycle> taken(unsigned sp, unsigned buses, const std::vector<unsigned>& latencies) {
    UnitPool units(with(SmParameters{}, &SmParameters::sp_units, sp, &SmParameters::result_buses, buses));
    std::vector<Cycle> cycles;
    for (const unsigned latency : latencies) {
        cycles.push_back(units.take(ExecutionUnit::sp, 100, 1, latency, 100) - 100);
    }
    return cycles;
}

TEST_CASE("with result buses an instruction waits where its result would leave its unit beside another") {
    // One unit takes one instruction per cycle. 4 leaves in 104; 3 begun in 101 would leave then too, so it begins in
    // 102.
    CHECK(taken(1, 2, {4, 3}) == std::vector<Cycle>{0, 2});
    CHECK(taken(1, 2, {4, 4}) == std::vector<Cycle>{0, 1});
    CHECK(taken(1, 2, {3, 4}) == std::vector<Cycle>{0, 1});
    CHECK(taken(1, 0, {4, 3}) == std::vector<Cycle>{0, 1});
    // The second unit takes it at once.
    CHECK(taken(2, 2, {4, 3}) == std::vector<Cycle>{0, 0});
}

TEST_CASE("no more results leave in a cycle than there are buses") {
    CHECK(taken(4, 2, {4, 4, 4}) == std::vector<Cycle>{0, 0, 1});
    CHECK(taken(4, 3, {4, 4, 4}) == std::vector<Cycle>{0, 0, 0});
    CHECK(taken(4, 2, {5, 5, 4, 4, 4}) == std::vector<Cycle>{0, 0, 0, 0, 2});
    // Other kinds of units share the buses.
    UnitPool units(with(SmParameters{}, &SmParameters::sp_units, 1, &SmParameters::result_buses, 1));
    CHECK(units.take(ExecutionUnit::sfu, 100, 1, 4, 100) == 100);
    CHECK(units.take(ExecutionUnit::sp, 100, 1, 4, 100) == 101);
    CHECK(units.take(ExecutionUnit::dp, 100, 1, 6, 100) == 100);
}

TEST_CASE("an instruction that waits for its result's cycle holds the latch before its unit") {
    Bench bench(with(SmParameters{}, &SmParameters::sp_units, 1, &SmParameters::result_buses, 2));
    CHECK(bench.pass(ExecutionUnit::sp, {0}, 1, 100, 4) == 4);
    CHECK(bench.pass(ExecutionUnit::sp, {1}, 1, 101, 3) == 5);  // leaves in 109, not in 108
    CHECK(bench.pass(ExecutionUnit::sp, {2}, 1, 102, 9) == 5);  // after it
}

}  // namespace
}  // namespace lookahead::gpu
