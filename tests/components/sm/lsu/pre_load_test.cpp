// Pre-loads, which only bring their lines into L1, and loads of an extension.
#include <doctest/doctest.h>

#include "tests/components/sm/lsu/unit_bench.h"

namespace lookahead::gpu::test::pre_load_tests {
namespace {

const isa::Instruction kLoad = make_memory(Operation::load);
const isa::Instruction kStore = make_memory(Operation::store);
const auto kWords = words_from(kBase);

template <class Address>
MemoryInstruction pre_load(Bench& bench, Address address, const isa::Instruction& what = kLoad,
                           isa::LaneMask active = isa::kFullMask) {
    MemoryInstruction result = bench.instruction(what, address, active, 8);
    result.pre_load = true;
    return result;
}
std::uint64_t of_pre_loads(const std::array<std::uint64_t, kClients>& counts) {
    return counts[static_cast<std::size_t>(Client::pre_load)];
}

TEST_CASE("a pre-load brings its line, tells nobody and writes no register; the load after it hits") {
    Bench bench;
    bench.memory.set_word(kBase, 77);
    bench.registers.row(8)[0] = 5;
    bench.perform(pre_load(bench, kWords));
    CHECK(bench.completions.empty());
    CHECK(bench.registers.row(8)[0] == 5);
    CHECK(of_pre_loads(bench.unit->l1().counters().misses) == 1);
    CHECK(bench.unit->counters().pre_loads == 1);
    CHECK(bench.unit->counters().loads == 0);
    bench.perform(kLoad, kWords, isa::kFullMask, 8);
    CHECK(bench.registers.row(8)[0] == 77);
    CHECK(bench.memory.count(GpuMessage::read_request) == 1);
}

TEST_CASE("a load joins a pre-load under way, and waits for no more than what is left") {
    Bench bench;
    bench.memory.set_delay([](unsigned, std::uint64_t, bool to_owner) { return to_owner ? 1 : 300; });
    bench.issue(pre_load(bench, kWords));
    bench.run_to(200);
    bench.perform(kLoad, kWords);
    CHECK(bench.memory.count(GpuMessage::read_request) == 1);
    REQUIRE(bench.completions.size() == 1);
    CHECK(bench.completions[0].cycle < 330);
}

TEST_CASE("a store to the line of a pre-load under way is seen by the load after it, under both write policies") {
    for (const char* policy : {"l1d.write_policy=write_evict", "l1d.write_policy=write_through"}) {
        for (const char* sectors : {"l1d.sector_bytes=128", "l1d.sector_bytes=32"}) {
            CAPTURE(policy);
            CAPTURE(sectors);
            Bench bench({policy, sectors});
            bench.memory.set_word(kBase, 1);
            bench.memory.set_word(kBase + 4, 2);
            bench.memory.set_delay([](unsigned, std::uint64_t, bool to_owner) { return to_owner ? 1 : 200; });
            bench.issue(pre_load(bench, kWords));
            bench.run_to(100);  // read by its owner, on its way back
            MemoryInstruction store = bench.instruction(kStore, kWords, 1);
            store.data[0][0] = 99;
            bench.issue(store);
            bench.perform(kLoad, kWords, isa::kFullMask, 8);
            bench.perform(kLoad, kWords, isa::kFullMask, 9);
            for (const unsigned row : {8u, 9u}) {
                CHECK(bench.registers.row(row)[0] == 99);
                CHECK(bench.registers.row(row)[1] == 2);
            }
        }
    }
}

TEST_CASE("lanes of a pre-load that the program may not access are dropped, and all of them if need be") {
    Bench bench;
    const auto half = [](unsigned lane) { return lane < 16 ? kBase + 4 * lane : kBase + kAllocated + 4 * lane; };
    bench.issue(pre_load(bench, half));
    bench.perform(pre_load(bench, [](unsigned lane) { return kBase + 4 * lane + 1; }));
    CHECK(bench.unit->counters().pre_load_unmapped == 16 + 32);
    CHECK(bench.memory.count(GpuMessage::read_request) == 1);
    CHECK_THROWS_AS(bench.issue(kLoad, half), MemoryFault);

    // Generic addresses: those in the shared window need no line, those in the local one only within its bounds.
    const isa::Instruction generic = make_memory(Operation::load, isa::Type::u32, isa::Space::generic);
    Bench windows;
    MemoryInstruction mixed = pre_load(
        windows,
        [](unsigned lane) {
            return lane == 0 ? isa::kSharedWindowBase + 4 : lane == 1 ? isa::kLocalWindowBase + 1000 : kBase + 4096;
        },
        generic, 7);
    mixed.local_bytes = 16;
    windows.perform(mixed);
    CHECK(windows.unit->counters().shared_accesses == 0);
    CHECK(windows.memory.count(GpuMessage::read_request) == 1);
}

TEST_CASE("a pre-load without an MSHR is dropped, and what comes after it does not wait") {
    Bench bench({"l1d.mshrs=2"});
    bench.memory.set_delay([](unsigned, std::uint64_t, bool to_owner) { return to_owner ? 1 : 300; });
    const auto scattered = [](unsigned lane) { return kBase + 128 * lane; };
    bench.issue(pre_load(bench, scattered));
    bench.issue(kLoad, kWords);  // lane 0's line, brought by the pre-load
    REQUIRE(bench.drain());
    CHECK(bench.unit->counters().pre_load_drops == 30);
    REQUIRE(bench.completions.size() == 1);
    CHECK(bench.completions[0].cycle < 350);
    CHECK(bench.memory.count(GpuMessage::read_request) == 2);
}

TEST_CASE("a pre-load waits for a place in the miss queue") {
    Bench bench({"l1d.miss_queue=1"});
    bench.perform(pre_load(bench, [](unsigned lane) { return kBase + 128 * lane; }));
    CHECK(bench.unit->counters().pre_load_drops == 0);
    CHECK(bench.memory.count(GpuMessage::read_request) == 32);
}

TEST_CASE("a pre-load does not wait for its context's acquire") {
    Bench bench;
    bench.memory.set_delay([](unsigned, std::uint64_t, bool to_owner) { return to_owner ? 1 : 300; });
    const isa::Instruction acquire = make_ordered(Operation::load, isa::Order::acquire);
    bench.issue(acquire, kWords);
    bench.issue(pre_load(bench, words_from(kBase + 4096)));
    bench.run_to(50);
    CHECK(bench.memory.count(GpuMessage::read_request) == 2);
    REQUIRE(bench.drain());
}

TEST_CASE("a load with a token comes back with it, its words wherever their rows are") {
    Bench bench;
    for (unsigned word = 0; word < 4; ++word) { bench.memory.set_word(kBase + 4 * word, 10 + word); }
    const isa::Instruction vector = make_memory(Operation::load, isa::Type::u32, isa::Space::global, 4);
    MemoryInstruction load = bench.instruction(vector, [](unsigned lane) { return kBase + 16 * lane; });
    load.token = 7;
    load.destination_rows = {20, 3, 11, 4};
    bench.perform(load);
    CHECK(bench.completions.empty());
    CHECK(bench.tokens == std::vector<std::uint16_t>{7});
    CHECK(bench.registers.row(20)[0] == 10);
    CHECK(bench.registers.row(3)[0] == 11);
    CHECK(bench.registers.row(11)[0] == 12);
    CHECK(bench.registers.row(4)[0] == 13);
}

}  // namespace
}  // namespace lookahead::gpu::test::pre_load_tests
