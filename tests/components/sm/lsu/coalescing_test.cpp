// Coalescing, data and completion of global accesses.
#include <doctest/doctest.h>

#include <random>

#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test {
namespace {

const isa::Instruction kLoad = make_memory(Operation::load);
const isa::Instruction kStore = make_memory(Operation::store);

template <class Address>
unsigned reads_of(const isa::Instruction& what, Address address, isa::LaneMask active = isa::kFullMask) {
    Bench bench;
    bench.perform(what, address, active);
    REQUIRE(bench.completions.size() == 1);
    CHECK(bench.unit->counters().global_accesses == bench.memory.count(GpuMessage::read_request));
    return bench.memory.count(GpuMessage::read_request);
}

TEST_CASE("lanes of one line make one access, and each further line one more") {
    CHECK(reads_of(kLoad, words_from(kBase)) == 1);
    CHECK(reads_of(kLoad, words_from(kBase + 64)) == 2);
    CHECK(reads_of(kLoad, [](unsigned lane) { return kBase + 8 * lane; }) == 2);
    CHECK(reads_of(kLoad, [](unsigned lane) { return kBase + 128 * lane; }) == 32);
    CHECK(reads_of(kLoad, lanes_at(kBase + 12)) == 1);
    CHECK(reads_of(
              kLoad, [](unsigned lane) { return kBase + 128 * lane; }, 0x00010001) == 2);
    CHECK(reads_of(kLoad, [](unsigned lane) { return kBase + (31 - lane) * 4; }) == 1);
}

TEST_CASE("wider elements and vectors touch the lines that their bytes need") {
    const auto access = [](Type type, unsigned vector) {
        const isa::Instruction what = make_memory(Operation::load, type, isa::Space::global, vector);
        return reads_of(what, [&](unsigned lane) { return kBase + isa::lane_bytes(what) * lane; });
    };
    CHECK(access(Type::u8, 1) == 1);
    CHECK(access(Type::f64, 1) == 2);
    CHECK(access(Type::f32, 2) == 2);
    CHECK(access(Type::f32, 4) == 4);
    CHECK(access(Type::u64, 2) == 4);
    CHECK(access(Type::u32, 8) == 8);
    CHECK(access(Type::u32, 16) == 16);
    CHECK(access(Type::u64, 8) == 16);
    CHECK(access(Type::u8, 4) == 1);
}

TEST_CASE("lines are accessed in the order of the lowest lane that touches them") {
    Bench bench;
    std::vector<std::uint64_t> lines;
    bench.memory.set_delay([&](unsigned, std::uint64_t line, bool to_owner) {
        if (to_owner) { lines.push_back((line - kBase) / kLineBytes); }
        return 5;
    });
    const unsigned order[] = {5, 5, 2, 9, 2, 0};
    bench.perform(
        kLoad, [&](unsigned lane) { return kBase + 128 * order[lane] + 4 * lane; }, 0x3f);
    CHECK(lines == std::vector<std::uint64_t>{5, 2, 9, 0});
}

TEST_CASE("random loads of every type get the bytes of memory, and inactive lanes keep their registers") {
    std::mt19937 random(7);
    INFO("seed 7");
    const struct {
        Type type;
        unsigned vector;
    } kinds[] = {{Type::u8, 1},   {Type::s8, 1},  {Type::u16, 1},  {Type::s16, 1}, {Type::u32, 1}, {Type::f64, 1},
                 {Type::u32, 2},  {Type::f32, 4}, {Type::u64, 2},  {Type::u8, 4},  {Type::s16, 2}, {Type::u32, 8},
                 {Type::u32, 16}, {Type::u64, 8}, {Type::s16, 16}, {Type::u8, 8},  {Type::f64, 4}};
    for (const auto& kind : kinds) {
        for (unsigned round = 0; round < 20; ++round) {
            Bench bench({round % 2 == 0 ? "l1d.sector_bytes=128" : "l1d.sector_bytes=32"});
            const isa::Instruction what = make_memory(Operation::load, kind.type, isa::Space::global, kind.vector);
            const unsigned bytes = isa::lane_bytes(what);
            const isa::LaneMask active = random() | 1;
            const unsigned span = 1 + random() % 2048;
            for (unsigned i = 0; i < 8192; i += 4) { bench.memory.set_word(kBase + i, random()); }
            const MemoryInstruction load = bench.instruction(
                what, [&](unsigned) { return kBase + random() % span * bytes % 8192; }, active, 8);
            for (unsigned row = 8; row < 8 + kMaximumRows; ++row) {
                for (unsigned lane = 0; lane < 32; ++lane) { bench.registers.row(row)[lane] = 0xabcd0000 + row; }
            }
            RegisterFile expected = bench.registers_after(load, 8);
            bench.issue(load);
            bench.issue(load);  // once with misses, once with hits or merges
            REQUIRE(bench.drain());
            REQUIRE(bench.completions.size() == 2);
            REQUIRE(std::memcmp(expected.data(), bench.registers.data(), expected.bytes()) == 0);
        }
    }
}

TEST_CASE("a load of a line with sectors asks for those that its lanes touch, and goes by groups that are alike") {
    Bench bench({"l1d.sector_bytes=32"});
    const isa::Instruction load = make_memory(Operation::load);
    for (unsigned i = 0; i < 128; i += 4) { bench.memory.set_word(kBase + i, 1000 + i); }
    // Sectors 0 and 2, then all: two hit and two miss together, in one access to one line.
    bench.perform(load, [](unsigned lane) { return kBase + lane % 8 * 4 + (lane & 8) * 8; });
    CHECK(bench.memory.count(GpuMessage::read_request) == 1);
    bench.perform(
        load, [](unsigned lane) { return kBase + lane * 4; }, isa::kFullMask, 8);
    CHECK(bench.memory.count(GpuMessage::read_request) == 2);
    CHECK(bench.unit->counters().global_accesses == 2);
    const L1Counters& l1 = bench.unit->l1().counters();
    CHECK(l1.hits[0] == 1);
    CHECK(l1.misses[0] == 2);
    CHECK(l1.sector_misses == 1);
    for (unsigned lane = 0; lane < 32; ++lane) { CHECK(bench.registers.row(8)[lane] == 1000 + 4 * lane); }
}

TEST_CASE("random stores of every type leave in memory what the lanes store, the higher lane on top") {
    std::mt19937 random(8);
    INFO("seed 8");
    for (const unsigned vector : {1u, 2u, 4u, 8u, 16u}) {
        for (const Type type : {Type::u8, Type::u16, Type::u32, Type::u64}) {
            const isa::Instruction what = make_memory(Operation::store, type, isa::Space::global, vector);
            const unsigned bytes = isa::lane_bytes(what);
            if (bytes > 4 * kMaximumRows) { continue; }
            for (unsigned round = 0; round < 20; ++round) {
                Bench bench;
                const isa::LaneMask active = random() | 0x8000;
                MemoryInstruction store = bench.instruction(
                    what, [&](unsigned) { return kBase + random() % 64 * bytes; }, active);
                for (unsigned row = 0; row < isa::kMostOperandRows; ++row) {
                    for (auto& word : store.data[row]) { word = random(); }
                }
                std::vector<std::byte> expected(64 * bytes);
                const std::uint32_t* rows[kMaximumRows];
                for (unsigned row = 0; row < kMaximumRows; ++row) { rows[row] = store.data[row]; }
                for (unsigned lane = 0; lane < 32; ++lane) {
                    if (active >> lane & 1) {
                        isa::read_stored(what, lane, rows, &expected[store.addresses[lane] - kBase]);
                    }
                }
                bench.perform(store);
                CHECK(bench.completions.empty());
                for (unsigned i = 0; i < expected.size(); ++i) {
                    REQUIRE(bench.memory.line(kBase + i)[i % kLineBytes] == expected[i]);
                }
            }
        }
    }
}

TEST_CASE("a load that hits completes hit_latency cycles after its last access") {
    Bench bench({"l1d.hit_latency=20"});
    bench.memory.set_words(kBase, 64, 0x1000'0000);
    const auto two_lines = [](unsigned lane) { return kBase + 8 * lane; };
    bench.perform(kLoad, two_lines);
    const Cycle begin = bench.now;
    bench.completions.clear();
    bench.perform(kLoad, two_lines, isa::kFullMask, 1);
    REQUIRE(bench.completions.size() == 1);
    CHECK(bench.completions[0].cycle == begin + 1 + 20);
    CHECK(bench.registers.row(1)[31] == 0x1000'0000 + 62);
}

/// Cycles between two loads that hit, with this many lines per cycle, if lane i reads word(i).
template <class Word>
Cycle cycles_of_hits(unsigned lines_per_cycle, Word word, std::uint64_t conflict_cycles,
                     const isa::Instruction& what = kLoad, isa::LaneMask active = isa::kFullMask) {
    Bench bench({"coalescing.lines_per_cycle=" + std::to_string(lines_per_cycle), "l1d.ways=32", "l1d.merges=64"});
    bench.memory.set_words(kBase, 4096, 0x1000'0000);
    const auto address = [&](unsigned lane) { return kBase + 4 * word(lane); };
    bench.perform(what, address, active);
    const std::uint64_t before = bench.unit->counters().global_conflict_cycles;
    bench.completions.clear();
    bench.issue(what, address, active, 40);
    bench.perform(what, address, active, 80, 1);
    REQUIRE(bench.completions.size() == 2);
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
        if ((active >> lane & 1) != 0) {
            CHECK(bench.registers.row(40)[lane] == 0x1000'0000 + word(lane));
            CHECK(bench.registers.row(80)[lane] == 0x1000'0000 + word(lane));
        }
    }
    CHECK(bench.unit->counters().global_conflict_cycles - before == 2 * conflict_cycles);
    return bench.completions[1].cycle - bench.completions[0].cycle;
}

TEST_CASE("a load looks up lines_per_cycle lines a cycle, and holds L1 for as long as its words' bank conflicts take") {
    const auto own_banks = [](unsigned lane) { return 33 * lane; };  // 32 lines, each word in a bank of its own
    CHECK(cycles_of_hits(1, own_banks, 0) == 32);
    CHECK(cycles_of_hits(2, own_banks, 0) == 16);
    CHECK(cycles_of_hits(4, own_banks, 0) == 8);
    CHECK(cycles_of_hits(5, own_banks, 0) == 7);
    CHECK(cycles_of_hits(32, own_banks, 0) == 1);
    // One bank delivers one word per cycle.
    const auto one_bank = [](unsigned lane) { return 32 * lane; };
    CHECK(cycles_of_hits(4, one_bank, 24) == 32);
    CHECK(cycles_of_hits(4, one_bank, 6, kLoad, 0xff) == 8);
    // Sixteen lines with words in two banks.
    CHECK(cycles_of_hits(
              4, [](unsigned lane) { return 16 * lane; }, 12) == 16);
    // Words that lanes share are delivered once.
    CHECK(cycles_of_hits(
              4, [](unsigned lane) { return lane / 16 * 32; }, 1) == 2);
    CHECK(cycles_of_hits(
              4, [](unsigned lane) { return lane; }, 0) == 1);
    // Four words per lane: as many cycles as lines.
    const isa::Instruction quad = make_memory(Operation::load, Type::u32, isa::Space::global, 4);
    CHECK(cycles_of_hits(
              4, [](unsigned lane) { return 4 * lane; }, 3, quad) == 4);
}

TEST_CASE("lines of one cycle that miss are asked for one after the other, and a stall goes on where it stopped") {
    Bench bench({"coalescing.lines_per_cycle=4", "l1d.mshrs=6", "l1d.ways=32"});
    bench.memory.set_words(kBase, 4096, 0x1000'0000);
    bench.perform(kLoad, [](unsigned lane) { return kBase + 4 * 33 * lane; });
    CHECK(bench.memory.count(GpuMessage::read_request) == 32);
    CHECK(bench.unit->counters().global_accesses == 32);
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) {
        CHECK(bench.registers.row(0)[lane] == 0x1000'0000 + 33 * lane);
    }
}

TEST_CASE("stores and atomics access one line a cycle") {
    for (const isa::Instruction& what : {kStore, make_atomic(isa::AtomicOp::add, Operation::reduce)}) {
        Bench bench({"coalescing.lines_per_cycle=4", "l1d.miss_queue=1024"});
        bench.issue(what, [](unsigned lane) { return kBase + 4 * 33 * lane; });
        for (unsigned cycle = 1; cycle < isa::kWarpSize; ++cycle) {
            CHECK(bench.unit->counters().global_accesses == cycle);
            bench.step();
        }
        REQUIRE(bench.drain());
    }
}

TEST_CASE("shared memory that is larger than all sizes that it may have of L1D is refused") {
    CHECK_NOTHROW(Bench({"l1d.ways=5", "l1d.shared_sizes=0 16"}));
    CHECK_THROWS_WITH_AS(
        Bench({"l1d.ways=5", "l1d.shared_sizes=0 12"}),
        doctest::Contains("sm.shared_bytes = 16384 is more than the largest of l1d.shared_sizes, 12 KB"),
        ConfigurationError);
}

TEST_CASE("a launch leaves L1D the ways that its CTAs' shared memory does not take") {
    Bench bench({"l1d.ways=5", "l1d.shared_sizes=0 4 8 12 16", "l1d.set_index=linear"});
    isa::Kernel kernel;
    const auto lines_kept = [&](std::uint32_t shared_bytes) {
        bench.unit->begin_kernel();
        bench.unit->begin_launch({kernel, 0, 1, 1, 0, shared_bytes});
        const std::uint64_t before = bench.unit->l1().counters().evictions;
        for (unsigned i = 0; i < 5; ++i) { bench.perform(kLoad, lanes_at(kBase + i * 32 * kLineBytes)); }
        return 5 - (bench.unit->l1().counters().evictions - before);
    };
    CHECK(lines_kept(0) == 5);
    CHECK(lines_kept(4097) == 3);
    CHECK(lines_kept(16384) == 1);
    CHECK(lines_kept(0) == 5);
}

TEST_CASE("a load that misses completes fill_latency cycles after its last reply") {
    Bench bench({"l1d.hit_latency=20", "l1d.fill_latency=3"});
    bench.memory.set_delay([](unsigned, std::uint64_t line, bool to_owner) {
        return to_owner ? 50 : line == kBase ? 200 : 10;
    });
    const Cycle begin = bench.now;
    bench.perform(kLoad, [](unsigned lane) { return kBase + 8 * lane; });
    // Line 0 leaves in the first cycle; the second line's reply comes earlier.
    CHECK(bench.completions.at(0).cycle == begin + 50 + 200 + 3);
    CHECK(bench.unit->counters().completed_loads == 1);
    CHECK(bench.unit->counters().load_cycles == 253);
}

TEST_CASE("elements arrive one by one: a line's lanes are written when its reply comes") {
    Bench bench;
    bench.memory.set_words(kBase, 64, 0x1000'0000);
    bench.memory.set_delay([](unsigned, std::uint64_t line, bool to_owner) {
        return to_owner ? 1 : line == kBase ? 100 : 10;
    });
    bench.issue(kLoad, [](unsigned lane) { return kBase + 8 * lane; });
    bench.run_to(bench.now + 30);
    CHECK(bench.registers.row(0)[31] == 0x1000'0000 + 62);
    CHECK(bench.registers.row(0)[0] == 0);
    CHECK(bench.completions.empty());
    REQUIRE(bench.drain());
    CHECK(bench.registers.row(0)[0] == 0x1000'0000);
}

TEST_CASE("a younger load that hits overtakes an older one that misses") {
    Bench bench;
    bench.perform(kLoad, words_from(kBase));
    bench.completions.clear();
    bench.memory.set_delay([](unsigned, std::uint64_t, bool) { return 500; });
    bench.issue(kLoad, words_from(kBase + 4096), isa::kFullMask, 0, 1);
    bench.perform(kLoad, words_from(kBase), isa::kFullMask, 1, 2);
    REQUIRE(bench.completions.size() == 2);
    CHECK(bench.completions[0].context == 2);
    CHECK(bench.completions[1].context == 1);
}

TEST_CASE("MSHRs, merges, miss queue and load table bound what is under way, and stalls are charged by cause") {
    const auto line = [](unsigned number) { return lanes_at(kBase + 128 * number); };
    const auto stalled = [&](const Bench::Overrides& overrides, unsigned loads, bool same_line,
                             ReservationFailure cause) {
        Bench bench(overrides);
        for (unsigned i = 0; i < loads; ++i) { bench.issue(kLoad, line(same_line ? 0 : i), isa::kFullMask, i); }
        REQUIRE(bench.drain());
        REQUIRE(bench.completions.size() == loads);
        return bench.unit->l1().counters().failure_cycles[static_cast<std::size_t>(cause)] > 0;
    };
    CHECK_FALSE(stalled({"l1d.mshrs=3"}, 3, false, ReservationFailure::no_mshr));
    CHECK(stalled({"l1d.mshrs=3"}, 4, false, ReservationFailure::no_mshr));
    CHECK_FALSE(stalled({"l1d.merges=3"}, 3, true, ReservationFailure::merge_limit));
    CHECK(stalled({"l1d.merges=3"}, 4, true, ReservationFailure::merge_limit));
    const Bench::Overrides one_set = {"l1d.sets=1", "l1d.set_index=linear", "l1d.ways=4"};
    CHECK_FALSE(stalled(one_set, 4, false, ReservationFailure::no_line));
    CHECK(stalled(one_set, 5, false, ReservationFailure::no_line));

    const auto with_closed_port = [&](unsigned loads) {
        Bench bench({"l1d.miss_queue=3"});
        bench.port().opens_at = 50;
        for (unsigned i = 0; i < loads; ++i) { bench.issue(kLoad, line(i), isa::kFullMask, i); }
        REQUIRE(bench.drain());
        return bench.unit->l1().counters().failure_cycles[3];
    };
    CHECK(with_closed_port(3) == 0);
    // The fourth load tries in cycle 4 and succeeds in the cycle after the port opens.
    CHECK(with_closed_port(4) == 51 - 4);

    const auto with_small_table = [&](unsigned loads) {
        Bench bench({"coalescing.pending_loads=2"});
        for (unsigned i = 0; i < loads; ++i) { bench.issue(kLoad, line(i), isa::kFullMask, i); }
        REQUIRE(bench.drain());
        return bench.unit->counters().stall_cycles[0];
    };
    CHECK(with_small_table(2) == 0);
    CHECK(with_small_table(3) > 0);
}

TEST_CASE("the queue takes as many instructions as it has places") {
    Bench bench({"coalescing.queue=2", "l1d.mshrs=1"});
    for (unsigned i = 0; i < 3; ++i) {
        REQUIRE(bench.unit->can_accept());
        bench.unit->accept(bench.instruction(kLoad, lanes_at(kBase + 128 * i), isa::kFullMask, i), bench.now);
        bench.step();
    }
    CHECK_FALSE(bench.unit->can_accept());
    REQUIRE(bench.drain());
    CHECK(bench.completions.size() == 3);
}

TEST_CASE("atomics come back with the old values, lane by lane in ascending order") {
    Bench bench;
    const isa::Instruction add = make_atomic(isa::AtomicOp::add);
    MemoryInstruction what = bench.instruction(add, [](unsigned lane) { return kBase + 128 * (lane % 2); });
    for (auto& operand : what.data[0]) { operand = 1; }
    bench.memory.set_word(kBase, 100);
    bench.perform(what);
    CHECK(bench.memory.count(GpuMessage::atomic_request) == 2);
    for (unsigned lane = 0; lane < 32; ++lane) {
        CHECK(bench.registers.row(0)[lane] == (lane % 2 == 0 ? 100 : 0) + lane / 2);
    }
    CHECK(bench.memory.word(kBase) == 116);
    CHECK(bench.completions.size() == 1);
}

TEST_CASE("64-bit atomics and compare-and-swap carry both operands; reductions complete silently") {
    Bench bench;
    const isa::Instruction cas = make_atomic(isa::AtomicOp::cas, Operation::atomic, isa::Space::global, Type::b64);
    bench.memory.set_word(kBase, 7);
    bench.memory.set_word(kBase + 4, 9);
    MemoryInstruction what = bench.instruction(cas, lanes_at(kBase), 1, 4);
    what.data[0][0] = 7;
    what.data[1][0] = 9;
    what.data[2][0] = 70;
    what.data[3][0] = 90;
    bench.perform(what);
    CHECK(bench.memory.word(kBase) == 70);
    CHECK(bench.memory.word(kBase + 4) == 90);
    CHECK(bench.registers.row(4)[0] == 7);
    CHECK(bench.registers.row(5)[0] == 9);
    bench.completions.clear();
    const isa::Instruction reduce = make_atomic(isa::AtomicOp::max, Operation::reduce);
    MemoryInstruction second = bench.instruction(reduce, lanes_at(kBase));
    for (unsigned lane = 0; lane < 32; ++lane) { second.data[0][lane] = 60 + lane; }
    bench.perform(second);
    CHECK(bench.memory.word(kBase) == 91);
    CHECK(bench.completions.empty());
}

TEST_CASE("a demand access outside the allocations, misaligned, or in local memory is a fault with lane and address") {
    Bench bench;
    const auto fault = [&](const isa::Instruction& what, std::uint64_t address, const char* phrase) {
        const auto instruction = bench.instruction(
            what, [&](unsigned lane) { return lane == 9 ? address : kBase + 64 * isa::lane_bytes(what); });
        try {
            bench.unit->accept(instruction, bench.now);
        } catch (const MemoryFault& error) {
            CHECK(error.lane == 9);
            CHECK(error.address == address);
            CHECK(error.line == 42);
            CHECK(std::string(error.what()).find(phrase) != std::string::npos);
            return true;
        }
        bench.drain();
        return false;
    };
    CHECK(fault(kLoad, kBase - 4, "allocated"));
    CHECK_FALSE(fault(kLoad, kBase, "allocated"));
    CHECK_FALSE(fault(kLoad, kBase + kAllocated - 4, "allocated"));
    CHECK(fault(kLoad, kBase + kAllocated, "allocated"));
    CHECK(fault(kLoad, ~std::uint64_t{3}, "allocated"));
    CHECK(fault(kStore, 0, "allocated"));
    CHECK(fault(kLoad, kBase + 2, "multiple"));
    const isa::Instruction wide = make_memory(Operation::load, Type::f32, isa::Space::global, 4);
    CHECK(fault(wide, kBase + 8, "multiple"));
    CHECK_FALSE(fault(wide, kBase + 16, "multiple"));
    CHECK(fault(make_memory(Operation::load, Type::u32, isa::Space::generic), isa::kLocalWindowBase + 4, "local"));
}

TEST_CASE("a released allocation is no longer there, and its neighbours are") {
    AllocationMap map;
    map.update({.address = 1000, .bytes = 100, .released = 0});
    map.update({.address = 2000, .bytes = 100, .released = 0});
    map.update({.address = 1100, .bytes = 50, .released = 0});
    CHECK(map.contains(1000, 1100));
    CHECK(map.contains(2099, 2100));
    CHECK_FALSE(map.contains(1099, 1101));
    CHECK_FALSE(map.contains(2099, 2101));
    map.update({.address = 1000, .bytes = 100, .released = 1});
    CHECK_FALSE(map.contains(1000, 1001));
    CHECK(map.contains(1100, 1101));
    CHECK(map.contains(2000, 2001));
    CHECK_THROWS_AS(map.update({.address = 2050, .bytes = 100, .released = 0}), InternalError);
    CHECK_THROWS_AS(map.update({.address = 1000, .bytes = 100, .released = 1}), InternalError);
}

TEST_CASE("with atomic_bytes 32 an atomic is split by sectors, and by the lanes of one word") {
    const isa::Instruction add = make_atomic(isa::AtomicOp::add);
    const auto requests = [&](const std::string& bytes, auto address) {
        Bench bench({"coalescing.atomic_bytes=" + bytes});
        bench.perform(add, address);
        REQUIRE(bench.completions.size() == 1);
        return bench.memory.count(GpuMessage::atomic_request);
    };
    const auto words = words_from(kBase);
    CHECK(requests("128", words) == 1);
    CHECK(requests("32", words) == 4);
    const auto two_lanes_a_word = [](unsigned lane) { return kBase + lane / 2 * 4; };
    CHECK(requests("128", two_lanes_a_word) == 1);
    CHECK(requests("32", two_lanes_a_word) == 4);  // two sectors, two lanes per word
    CHECK(requests("32", lanes_at(kBase)) == 32);
    CHECK_THROWS_AS(Bench({"coalescing.atomic_bytes=64"}), ConfigurationError);
}

TEST_CASE("a split atomic returns what its lanes would have seen one after the other") {
    Bench bench({"coalescing.atomic_bytes=32"});
    const isa::Instruction add = make_atomic(isa::AtomicOp::add);
    MemoryInstruction memory = bench.instruction(add, lanes_at(kBase));
    for (unsigned lane = 0; lane < 32; ++lane) { memory.data[0][lane] = 1; }
    bench.perform(memory);
    for (unsigned lane = 0; lane < 32; ++lane) { CHECK(bench.registers.row(0)[lane] == lane); }
    CHECK(bench.memory.word(kBase) == 32);
}

TEST_CASE("where CTAs wait for their stores a context has them under way until the acknowledgement") {
    for (const bool waits : {false, true}) {
        CAPTURE(waits);
        Bench bench({std::string("coalescing.ctas_wait_for_stores=") + (waits ? "true" : "false")});
        bench.memory.set_delay([](unsigned, std::uint64_t, bool) { return 50; });
        CHECK(bench.unit->delays_ctas() == waits);
        bench.issue(kStore, words_from(kBase), isa::kFullMask, 0, 3);
        CHECK_FALSE(bench.unit->stores_under_way(2));
        Cycle last = 0;
        for (; !bench.unit->drained() && bench.now < 1000; bench.step()) {
            last = bench.unit->stores_under_way(3) ? bench.now : last;
        }
        REQUIRE(bench.unit->drained());
        CHECK_FALSE(bench.unit->stores_under_way(3));
        CHECK((last > 90) == waits);  // there and back
    }
}

}  // namespace
}  // namespace lookahead::gpu::test
