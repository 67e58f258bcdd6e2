// Local memory: interleaved by words, in a window per warp.
#include <doctest/doctest.h>

#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test {
namespace {

constexpr std::uint32_t kLocalBytes = 64;

MemoryInstruction in_warp(const MemoryInstruction& of_warp_0, unsigned warp) {
    MemoryInstruction instruction = of_warp_0;
    instruction.local_bytes = kLocalBytes;
    instruction.local_base = isa::kLocalMemoryBase + warp * isa::local_memory_per_warp(kLocalBytes);
    return instruction;
}

TEST_CASE("the same word of all lanes is one line, and different words are as many lines") {
    Bench bench;
    const isa::Instruction load = make_memory(Operation::load, Type::u32, Space::local);
    bench.perform(in_warp(bench.instruction(load, lanes_at(8)), 3));
    CHECK(bench.unit->counters().global_accesses == 1);
    bench.perform(in_warp(bench.instruction(load, [](unsigned lane) { return lane % 4 * 4; }), 3));
    CHECK(bench.unit->counters().global_accesses == 5);
}

TEST_CASE("a generic access may lead to local, shared and global memory at once") {
    Bench bench;
    bench.memory.set_word(kBase + 400, 111);
    const isa::Instruction store = make_memory(Operation::store, Type::u32, Space::generic);
    const auto mixed = [](unsigned lane) -> std::uint64_t {
        return lane % 3 == 0   ? isa::kLocalWindowBase + 4
               : lane % 3 == 1 ? isa::kSharedWindowBase + 4 * lane
                               : kBase + 4 * lane;
    };
    auto stored = in_warp(bench.instruction(store, mixed), 1);
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) { stored.data[0][lane] = 1000 + lane; }
    bench.perform(stored);
    const isa::Instruction load = make_memory(Operation::load, Type::u32, Space::generic);
    bench.perform(in_warp(bench.instruction(load, mixed), 1));
    for (unsigned lane = 0; lane < isa::kWarpSize; ++lane) { CHECK(bench.registers.row(0)[lane] == 1000 + lane); }
}

TEST_CASE("an access outside the thread's local memory, misaligned or of two words is a fault") {
    const auto fault = [](Type type, std::uint64_t address, const char* phrase) {
        Bench bench;
        const isa::Instruction load = make_memory(Operation::load, type, Space::local);
        const auto what = in_warp(bench.instruction(load, [&](unsigned lane) { return lane == 7 ? address : 0; }), 0);
        CHECK_THROWS_WITH_AS(bench.issue(what), doctest::Contains(phrase), MemoryFault);
        CHECK_THROWS_WITH_AS(bench.issue(what), doctest::Contains("lane"), MemoryFault);
    };
    fault(Type::u32, kLocalBytes, "outside the thread's local memory of 64 bytes");
    fault(Type::u32, ~std::uint64_t{3}, "outside the thread's local memory");
    fault(Type::u32, 6, "not a multiple");
    fault(Type::u64, 8, "more than a word");
}

}  // namespace
}  // namespace lookahead::gpu::test
