// Accesses of eight and sixteen rows.
#include <doctest/doctest.h>

#include "tests/components/sm/lsu/unit_bench.h"
#include "tests/support/seed.h"

namespace lookahead::gpu::test {
namespace {

std::vector<isa::Instruction> code_of(unsigned vector, isa::Order order = isa::Order::weak) {
    isa::Instruction wide = make_memory(Operation::load, Type::u32, Space::global, vector);
    wide.destination_rows = static_cast<std::uint8_t>(vector);
    wide.order = order;
    isa::Instruction word = make_memory(Operation::load);
    word.destination_rows = 1;
    return {wide, word};
}

TEST_CASE("a lane of two sectors gets both, whatever states they are in and however often the load has to wait") {
    for (std::uint64_t seed = lookahead::test::random_seed(), end = seed + 40; seed < end; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        Bench bench({"l1d.sector_bytes=32", "l1d.mshrs=" + std::to_string(1 + seed % 3),
                     "l1d.merges=" + std::to_string(1 + seed % 2), "l1d.miss_queue=1"});
        bench.memory.set_delay([&](unsigned, std::uint64_t, bool) { return static_cast<Cycle>(1 + random() % 60); });
        for (unsigned i = 0; i < 8192; i += 4) {
            bench.memory.set_word(kBase + i, static_cast<std::uint32_t>(random()));
        }
        const auto code = code_of(16, seed % 4 == 0 ? isa::Order::relaxed : isa::Order::weak);
        const auto wait = [&](std::size_t completions) {
            for (unsigned left = 20'000; bench.completions.size() < completions && left > 0; --left) {
                bench.step();
                if (random() % 7 == 0) { bench.save_and_load(code); }
            }
            REQUIRE(bench.completions.size() == completions);
        };
        // Scattered words, some of them still under way when the wide load comes.
        for (unsigned i = 0; i < 6; ++i) {
            bench.issue(
                code[1], [&](unsigned) { return kBase + random() % 64 * 4; }, 1, 40);
        }
        const auto active = static_cast<isa::LaneMask>(random() | 1);
        const MemoryInstruction load = bench.instruction(
            code[0], [&](unsigned) { return kBase + random() % 8 * 64; }, active, 8);
        for (unsigned row = 8; row < 24; ++row) {
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) { bench.registers.row(row)[lane] = 0xabcd; }
        }
        bench.issue(load);
        wait(7);
        CHECK(bench.unit->counters().completed_loads == 7);
        for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
            for (unsigned row = 0; row < 16; ++row) {
                const std::uint32_t is = bench.registers.row(8 + row)[lane];
                REQUIRE(is == ((active >> lane & 1) != 0 ? bench.memory.word(load.addresses[lane] + 4 * row) : 0xabcd));
            }
        }
    }
}

TEST_CASE("only those sectors of a lane of two are asked for that are not there") {
    for (const bool is_there : {true, false}) {
        Bench bench({"l1d.sector_bytes=32"});
        const auto code = code_of(16);
        if (is_there) { bench.perform(code[1], lanes_at(kBase + 32), 1); }
        bench.perform(code[0], lanes_at(kBase), 1, 8);
        const L1Counters& l1 = bench.unit->l1().counters();
        CHECK(l1.hits[0] == (is_there ? 1 : 0));
        CHECK(l1.misses[0] == 2);  // without: one for each sector
        CHECK(bench.unit->counters().global_accesses == (is_there ? 2 : 1));
    }
}

TEST_CASE("a pre-load of lanes of two sectors brings both") {
    Bench bench({"l1d.sector_bytes=32"});
    const auto code = code_of(16);
    MemoryInstruction load = bench.instruction(code[0], lanes_at(kBase + 64), 1);
    load.pre_load = true;
    bench.perform(load);
    load.pre_load = false;
    bench.perform(load);
    CHECK(bench.unit->l1().counters().hits[0] == 2);
    CHECK(bench.memory.count(GpuMessage::read_request) == 1);
}

TEST_CASE(
    "accesses of eight and sixteen words a lane to shared memory move them, and take the banks as long as needed") {
    for (const unsigned vector : {8u, 16u}) {
        CAPTURE(vector);
        Bench bench;
        isa::Instruction store = make_memory(Operation::store, Type::u32, Space::shared, vector);
        isa::Instruction load = make_memory(Operation::load, Type::u32, Space::shared, vector);
        load.destination_rows = static_cast<std::uint8_t>(vector);
        const auto address = [&](unsigned lane) { return 4ull * vector * lane; };
        MemoryInstruction stored = bench.instruction(store, address);
        for (unsigned row = 0; row < vector; ++row) {
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) { stored.data[row][lane] = 100 * row + lane; }
        }
        bench.issue(stored);
        bench.perform(load, address, isa::kFullMask, 8);
        // 32 lanes of `vector` words in 32 banks.
        CHECK(bench.unit->counters().shared_conflict_cycles == 2 * (vector - 1));
        for (unsigned row = 0; row < vector; ++row) {
            for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
                REQUIRE(bench.registers.row(8 + row)[lane] == 100 * row + lane);
            }
        }
    }
}

}  // namespace
}  // namespace lookahead::gpu::test
