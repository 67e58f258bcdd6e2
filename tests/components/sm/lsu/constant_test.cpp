// Loads of .const variables: passes, latency, data, and the limits of the constant cache's misses.
#include <doctest/doctest.h>

#include <random>

#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test::constant_tests {
namespace {

constexpr std::uint64_t kVariable = isa::kConstantBase;
const isa::Instruction kLoad = make_memory(Operation::load, Type::u32, Space::constant);

struct Cost {
    std::uint64_t passes;
    unsigned reads;
    Cycle cycles;  ///< if all accesses hit
};

template <class Address>
Cost cost_of(const isa::Instruction& what, Address address, isa::LaneMask active = isa::kFullMask) {
    Bench bench({"constant_cache.hit_latency=20"});
    bench.perform(what, address, active);
    const std::uint64_t passes = bench.unit->counters().constant_passes;
    const unsigned reads = bench.memory.count(GpuMessage::read_request);
    bench.completions.clear();
    const Cycle begin = bench.now;
    bench.perform(what, address, active);
    CHECK(bench.unit->counters().constant_passes == 2 * passes);
    CHECK(bench.unit->counters().constant_loads == 2);
    CHECK(bench.unit->counters().global_accesses == 0);
    CHECK(bench.memory.count(GpuMessage::read_request) == reads);
    return {passes, reads, bench.completions.at(0).cycle - begin};
}

TEST_CASE("a load takes one pass a word that its lanes ask for, and one cycle a pass") {
    const Cost uniform = cost_of(kLoad, lanes_at(kVariable + 12));
    CHECK(uniform.passes == 1);
    CHECK(uniform.reads == 1);
    CHECK(uniform.cycles == 20);
    const Cost each = cost_of(kLoad, words_from(kVariable));
    CHECK(each.passes == 32);
    CHECK(each.reads == 2);
    CHECK(each.cycles == 31 + 20);
    const Cost two = cost_of(kLoad, [](unsigned lane) { return kVariable + 4 * (lane % 2); });
    CHECK(two.passes == 2);
    CHECK(two.cycles == 1 + 20);
    CHECK(cost_of(kLoad, words_from(kVariable), 0x8000'0101).passes == 3);
    CHECK(cost_of(kLoad, [](unsigned lane) { return kVariable + 64 * lane; }).reads == 32);
}

TEST_CASE("bytes of one word are one pass; a wide element or a vector is one for each address") {
    const auto passes = [](Type type, unsigned vector, std::uint64_t stride) {
        return cost_of(make_memory(Operation::load, type, Space::constant, vector),
                       [=](unsigned lane) { return kVariable + stride * lane; })
            .passes;
    };
    CHECK(passes(Type::u8, 1, 1) == 8);
    CHECK(passes(Type::u16, 1, 2) == 16);
    CHECK(passes(Type::u64, 1, 8) == 32);
    CHECK(passes(Type::u64, 1, 0) == 1);
    CHECK(passes(Type::u32, 4, 16) == 32);
    CHECK(passes(Type::u32, 4, 0) == 1);
}

TEST_CASE("random loads of every type get the bytes of memory, and inactive lanes keep their registers") {
    std::mt19937 random(7);
    for (const auto& [type, vector] : {std::pair{Type::u8, 1u},
                                       {Type::s16, 1u},
                                       {Type::u32, 1u},
                                       {Type::u64, 1u},
                                       {Type::u32, 2u},
                                       {Type::u32, 4u},
                                       {Type::u64, 2u}}) {
        Bench bench({"constant_cache.sets=4", "constant_cache.ways=1"});
        bench.memory.set_words(kVariable, 512, 0x2000'0000);
        const isa::Instruction what = make_memory(Operation::load, type, Space::constant, vector);
        const unsigned bytes = isa::lane_bytes(what);
        for (unsigned round = 0; round < 8; ++round) {
            const isa::LaneMask active = random() | 1;
            const unsigned range = 1 + random() % (2048 / bytes);
            MemoryInstruction load = bench.instruction(
                what, [&](unsigned) { return kVariable + random() % range * bytes; }, active);
            RegisterFile expected = bench.registers_after(load);
            bench.perform(load);
            CHECK(std::memcmp(expected.data(), bench.registers.data(), expected.bytes()) == 0);
        }
    }
}

TEST_CASE("a load that misses completes fill_latency cycles after its line has come, and loads behind it join") {
    Bench bench({"l1d.fill_latency=3", "constant_cache.hit_latency=20"});
    bench.memory.set_words(kVariable, 64, 0x2000'0000);
    bench.memory.set_delay([](unsigned, std::uint64_t, bool to_owner) { return to_owner ? 50 : 200; });
    const Cycle begin = bench.now;
    for (unsigned i = 0; i < 3; ++i) { bench.issue(kLoad, lanes_at(kVariable + 4 * i), isa::kFullMask, i); }
    REQUIRE(bench.drain());
    for (unsigned i = 0; i < 3; ++i) {
        CHECK(bench.completions.at(i).cycle == begin + 50 + 200 + 3);
        CHECK(bench.registers.row(i)[31] == 0x2000'0000 + i);
    }
    CHECK(bench.memory.count(GpuMessage::read_request) == 1);
    CHECK(bench.constants->counters().misses == 1);
    CHECK(bench.constants->counters().merges == 2);
    CHECK(bench.unit->counters().constant_fills == 1);
    CHECK(bench.unit->l1().counters().fills == 0);
}

TEST_CASE("misses do not hold loads of L1D behind them, nor these the constant cache's") {
    Bench bench;
    const isa::Instruction global = make_memory(Operation::load);
    bench.perform(global, words_from(kBase));
    bench.completions.clear();
    bench.memory.set_delay([](unsigned, std::uint64_t, bool) { return 500; });
    bench.issue(kLoad, lanes_at(kVariable), isa::kFullMask, 0, 1);
    bench.perform(global, words_from(kBase), isa::kFullMask, 1, 2);
    REQUIRE(bench.completions.size() == 2);
    CHECK(bench.completions[0].context == 2);
}

TEST_CASE("misses, their waiters and the requests' queue bound what is under way, and the wait is charged") {
    const auto stall = [](const Bench::Overrides& overrides, unsigned loads, unsigned stride) {
        Bench bench(overrides);
        for (unsigned i = 0; i < loads; ++i) {
            bench.issue(
                kLoad, [=](unsigned) { return kVariable + std::uint64_t{stride} * i; }, isa::kFullMask, i);
        }
        REQUIRE(bench.drain());
        REQUIRE(bench.completions.size() == loads);
        return bench.unit->counters().stall_cycles[static_cast<std::size_t>(LsuStall::constant_cache)];
    };
    CHECK(stall({"constant_cache.mshrs=3"}, 3, 64) == 0);
    CHECK(stall({"constant_cache.mshrs=3"}, 4, 64) > 0);
    CHECK(stall({"constant_cache.merges=3"}, 3, 4) == 0);
    CHECK(stall({"constant_cache.merges=3"}, 4, 4) > 0);

    Bench bench({"constant_cache.mshrs=16"});
    bench.port().opens_at = 50;
    for (unsigned i = 0; i < LineRequests::kCapacity + 1; ++i) {
        bench.issue(kLoad, lanes_at(kVariable + 64 * i), isa::kFullMask, i);
    }
    REQUIRE(bench.drain());
    // The fifth load tries in cycle 5 and succeeds in the cycle after the port opens.
    CHECK(bench.unit->counters().stall_cycles[static_cast<std::size_t>(LsuStall::constant_cache)] == 51 - 5);
}

TEST_CASE("a cache's worth of lines stays, and one line more does not") {
    const auto misses = [](unsigned lines) {
        Bench bench({"constant_cache.sets=4", "constant_cache.ways=2"});
        for (unsigned lap = 0; lap < 3; ++lap) {
            for (unsigned i = 0; i < lines; ++i) { bench.perform(kLoad, lanes_at(kVariable + 64 * i)); }
        }
        return bench.constants->counters().misses;
    };
    CHECK(misses(8) == 8);
    CHECK(misses(9) == 9 + 2 * 3);
}

TEST_CASE("what a variable holds is read anew after a kernel's start, and not before") {
    Bench bench;
    bench.memory.set_words(kVariable, 16, 0x2000'0000);
    const auto load = [&] {
        bench.perform(kLoad, lanes_at(kVariable + 8));
        return bench.registers.row(0)[5];
    };
    CHECK(load() == 0x2000'0002);
    bench.memory.set_word(kVariable + 8, 77);
    CHECK(load() == 0x2000'0002);
    bench.constants->begin_kernel();
    CHECK(load() == 77);
}

TEST_CASE("generic addresses of variables, and all loads without a constant cache, go through L1D") {
    Bench bench;
    bench.memory.set_words(kVariable, 16, 0x2000'0000);
    const isa::Instruction generic = make_memory(Operation::load, Type::u32, Space::generic);
    bench.perform(generic, lanes_at(kVariable + 8));
    CHECK(bench.registers.row(0)[3] == 0x2000'0002);
    CHECK(bench.unit->counters().global_accesses == 1);
    CHECK(bench.unit->counters().constant_passes == 0);

    Bench without({"constant_cache.enabled=false"});
    without.memory.set_words(kVariable, 16, 0x2000'0000);
    without.perform(kLoad, [](unsigned lane) { return kVariable + lane % 16 * 4; });
    CHECK(without.registers.row(0)[3] == 0x2000'0003);
    CHECK(without.unit->counters().global_accesses == 1);
    CHECK(without.unit->counters().constant_passes == 0);
}

TEST_CASE("an access outside the variables is a fault") {
    Bench bench;
    CHECK_THROWS_AS(bench.issue(kLoad, lanes_at(kVariable + kAllocated)), MemoryFault);
    CHECK_THROWS_AS(bench.issue(kLoad, lanes_at(kVariable + 2)), MemoryFault);
}

}  // namespace
}  // namespace lookahead::gpu::test::constant_tests
