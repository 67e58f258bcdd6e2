#include <doctest/doctest.h>

#include <random>
#include <set>

#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test::shared_memory_tests {
namespace {

const isa::Instruction kLoad = make_memory(Operation::load, Type::u32, Space::shared);
const isa::Instruction kStore = make_memory(Operation::store, Type::u32, Space::shared);

template <class Address>
unsigned degree_of(const isa::Instruction& what, Address address, isa::LaneMask active = isa::kFullMask) {
    Bench bench;
    const SharedMemory shared({}, kSharedBytes);
    return shared.conflict_degree(bench.instruction(what, address, active), active);
}

TEST_CASE("bank conflicts are the most distinct words that one bank has to give") {
    CHECK(degree_of(kLoad, words_from(0)) == 1);
    CHECK(degree_of(kLoad, [](unsigned lane) { return 4 * (31 - lane); }) == 1);
    CHECK(degree_of(kLoad, lanes_at(64)) == 1);
    CHECK(degree_of(kLoad, [](unsigned lane) { return 8 * lane; }) == 2);
    CHECK(degree_of(kLoad, [](unsigned lane) { return 12 * lane; }) == 1);
    CHECK(degree_of(kLoad, [](unsigned lane) { return 128 * lane; }) == 32);
    CHECK(degree_of(kLoad, [](unsigned lane) { return 132 * lane; }) == 1);
    CHECK(degree_of(kLoad, [](unsigned lane) { return 128 * (lane / 2); }) == 16);
    CHECK(degree_of(
              kLoad, [](unsigned lane) { return 128 * lane; }, 0x11) == 2);
    const isa::Instruction bytes = make_memory(Operation::load, Type::u8, Space::shared);
    CHECK(degree_of(bytes, [](unsigned lane) { return lane; }) == 1);
    const isa::Instruction doubles = make_memory(Operation::load, Type::f64, Space::shared);
    CHECK(degree_of(doubles, [](unsigned lane) { return 8 * lane; }) == 2);
    const isa::Instruction quads = make_memory(Operation::load, Type::f32, Space::shared, 4);
    CHECK(degree_of(quads, [](unsigned lane) { return 16 * lane; }) == 4);
    CHECK(degree_of(quads, lanes_at(16)) == 1);
}

TEST_CASE("random conflict degrees agree with sets of words by bank") {
    std::mt19937 random(3);
    INFO("seed 3");
    Bench bench;
    const SharedMemory shared({}, kSharedBytes);
    const isa::Instruction bytes = make_memory(Operation::load, Type::u8, Space::shared);
    const isa::Instruction pairs = make_memory(Operation::load, Type::f32, Space::shared, 2);
    for (unsigned round = 0; round < 1500; ++round) {
        const isa::Instruction& load = round % 3 == 0 ? kLoad : round % 3 == 1 ? bytes : pairs;
        const unsigned width = isa::lane_bytes(load);
        const unsigned begin = random() % 500 * width;
        const unsigned range = 1 + random() % (random() % 2 == 0 ? 2000 : 150 / width);
        const isa::LaneMask active = random() % 2 == 0 ? isa::kFullMask : random() | 1;
        const auto access = bench.instruction(
            load, [&](unsigned) { return begin + random() % range * width; }, active);
        std::map<std::uint64_t, std::set<std::uint64_t>> words;
        for (unsigned lane = 0; lane < 32; ++lane) {
            for (unsigned byte = 0; (active >> lane & 1) != 0 && byte < width; byte += 4) {
                const std::uint64_t word = (access.addresses[lane] + byte) / 4;
                words[word % 32].insert(word);
            }
        }
        std::size_t most = 0;
        for (const auto& [bank, set] : words) { most = std::max(most, set.size()); }
        REQUIRE(shared.conflict_degree(access, active) == most);
    }
}

TEST_CASE("atomics share no word: each lane takes its bank for itself") {
    const isa::Instruction add = make_atomic(isa::AtomicOp::add, Operation::atomic, Space::shared);
    CHECK(degree_of(add, lanes_at(64)) == 32);
    CHECK(degree_of(add, words_from(0)) == 1);
    CHECK(degree_of(add, [](unsigned lane) { return 4 * (lane / 4); }) == 4);
}

TEST_CASE("a shared load completes a latency after its last conflict cycle, and holds the queue so long") {
    for (const unsigned stride : {1u, 2u, 32u}) {
        CAPTURE(stride);
        Bench bench;
        const Cycle begin = bench.now;
        bench.issue(kLoad, [&](unsigned lane) { return 4 * stride * lane; });
        bench.perform(kLoad, words_from(0), isa::kFullMask, 1);
        REQUIRE(bench.completions.size() == 2);
        CHECK(bench.completions[0].cycle == begin + stride - 1 + 26);
        CHECK(bench.completions[1].cycle == begin + stride + 26);
        CHECK(bench.unit->counters().shared_conflict_cycles == stride - 1);
    }
}

TEST_CASE("shared memory keeps what is stored, per CTA") {
    Bench bench;
    MemoryInstruction store = bench.instruction(kStore, [](unsigned lane) { return 8 * lane; });
    for (unsigned lane = 0; lane < 32; ++lane) { store.data[0][lane] = 500 + lane; }
    store.shared_base = 1024;
    store.shared_bytes = 256;
    bench.issue(store);
    MemoryInstruction load = bench.instruction(
        kLoad, [](unsigned lane) { return 8 * (31 - lane); }, isa::kFullMask, 2);
    load.shared_base = 1024;
    load.shared_bytes = 256;
    bench.issue(load);
    MemoryInstruction other = bench.instruction(
        kLoad, [](unsigned lane) { return 8 * lane; }, isa::kFullMask, 3);
    bench.perform(other);
    for (unsigned lane = 0; lane < 32; ++lane) {
        CHECK(bench.registers.row(2)[lane] == 500 + 31 - lane);
        CHECK(bench.registers.row(3)[lane] == 0);
    }
    CHECK(bench.memory.count(GpuMessage::read_request) == 0);
}

TEST_CASE("loads of random words, near each other or not, bring what is there, up to the last word") {
    std::mt19937 random(5);
    INFO("seed 5");
    Bench bench;
    SharedMemory shared({}, 4096);
    const auto at = [&](const isa::Instruction& what, auto address) {
        MemoryInstruction access = bench.instruction(what, address);
        access.shared_base = 1024;
        return access;
    };
    std::uint32_t* no_rows[kMaximumRows] = {};
    for (unsigned line = 0; line < 24; ++line) {
        MemoryInstruction store = at(kStore, words_from(128 * line));
        for (unsigned lane = 0; lane < 32; ++lane) { store.data[0][lane] = 7 * (32 * line + lane); }
        shared.perform(store, isa::kFullMask, no_rows);
    }
    for (unsigned round = 0; round < 1000; ++round) {
        const unsigned range = 1 + random() % 40;
        const unsigned begin = random() % (768 - range + 1);
        const auto load = at(kLoad, [&](unsigned) { return 4 * (begin + random() % range); });
        alignas(32) std::uint32_t row[32];
        std::uint32_t* rows[kMaximumRows] = {row};
        shared.perform(load, isa::kFullMask, rows);
        for (unsigned lane = 0; lane < 32; ++lane) { REQUIRE(row[lane] == 7 * load.addresses[lane] / 4); }
    }
}

TEST_CASE("shared atomics are performed lane by lane in ascending order") {
    Bench bench;
    const isa::Instruction add = make_atomic(isa::AtomicOp::add, Operation::atomic, Space::shared);
    MemoryInstruction what = bench.instruction(add, [](unsigned lane) { return 4 * (lane % 3); });
    for (auto& operand : what.data[0]) { operand = 2; }
    bench.issue(what);
    const isa::Instruction reduce = make_atomic(isa::AtomicOp::max, Operation::reduce, Space::shared);
    MemoryInstruction second = bench.instruction(reduce, lanes_at(12));
    for (unsigned lane = 0; lane < 32; ++lane) { second.data[0][lane] = lane; }
    bench.issue(second);
    bench.perform(kLoad, words_from(0), 0xf, 1);
    for (unsigned lane = 0; lane < 32; ++lane) { CHECK(bench.registers.row(0)[lane] == 2 * (lane / 3)); }
    CHECK(bench.registers.row(1)[0] == 22);
    CHECK(bench.registers.row(1)[3] == 31);
    CHECK(bench.completions.size() == 2);
}

TEST_CASE("shared atomics of single precision keep subnormal sums, which those of global memory flush") {
    Bench bench;
    isa::Instruction add = make_atomic(isa::AtomicOp::add, Operation::reduce, Space::shared);
    add.type = Type::f32;
    MemoryInstruction what = bench.instruction(add, lanes_at(0));
    for (auto& operand : what.data[0]) {
        operand = 3;  // times the least subnormal
    }
    bench.issue(what);
    bench.perform(kLoad, lanes_at(0), 1, 1);
    CHECK(bench.registers.row(1)[0] == 96);
}

TEST_CASE("generic addresses in the shared window go to shared memory, the others to global memory") {
    Bench bench;
    const isa::Instruction generic_load = make_memory(Operation::load, Type::u32, Space::generic);
    MemoryInstruction store = bench.instruction(kStore, words_from(0));
    for (unsigned lane = 0; lane < 32; ++lane) {
        store.data[0][lane] = 900 + lane;
        bench.memory.set_word(kBase + 4 * lane, 300 + lane);
    }
    bench.issue(store);
    bench.perform(generic_load,
                  [](unsigned lane) { return (lane % 2 == 0 ? isa::kSharedWindowBase : kBase) + 4 * lane; });
    for (unsigned lane = 0; lane < 32; ++lane) {
        CHECK(bench.registers.row(0)[lane] == (lane % 2 == 0 ? 900 : 300) + lane);
    }
    CHECK(bench.completions.size() == 1);
}

TEST_CASE("an access outside the CTA's shared memory or misaligned is a fault, and the last word is not") {
    Bench bench;
    const auto faults = [&](const isa::Instruction& what, std::uint64_t address) {
        auto access = bench.instruction(what, lanes_at(address), 4);
        access.shared_bytes = 1000;
        try {
            bench.issue(access);
        } catch (const MemoryFault& error) {
            CHECK(error.lane == 2);
            return true;
        }
        return false;
    };
    CHECK_FALSE(faults(kLoad, 996));
    CHECK(faults(kLoad, 1000));
    CHECK(faults(kLoad, 998));
    CHECK(faults(kStore, ~std::uint64_t{3}));
    CHECK(faults(make_memory(Operation::load, Type::f64, Space::shared), 996));
    CHECK_FALSE(faults(make_memory(Operation::load, Type::f64, Space::shared), 992));
    CHECK(faults(make_memory(Operation::load, Type::u32, Space::generic), isa::kSharedWindowBase + 1000));
}

TEST_CASE("a number of banks that is no power of two is refused") {
    CHECK_THROWS_AS(SharedMemory({.banks = 24}, 1024), ConfigurationError);
}

}  // namespace
}  // namespace lookahead::gpu::test::shared_memory_tests
