#include <doctest/doctest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "components/emulator/emulated_device.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"
#include "tests/support/kernel_builder.h"
#include "tests/support/sample_kernels.h"

namespace lookahead {
namespace {

using isa::Operation;
using isa::Space;
using isa::Type;
using test::KernelBuilder;

std::vector<float> random_floats(std::size_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float& value : values) { value = static_cast<float>(random() >> 8) / 0x1p24f; }
    return values;
}

TEST_CASE("vecadd adds, and leaves what is beyond its size alone") {
    EmulatedDevice device({test::vecadd_kernel()});
    constexpr std::uint32_t kCount = 1000;
    const auto a = random_floats(kCount, 1), b = random_floats(kCount, 2);
    const DeviceAddress da = device.upload(a), db = device.upload(b);
    const DeviceAddress dc = device.upload(std::vector<float>(1024, -1.0f));
    device.launch("vecadd", {{4, 1, 1}, {256, 1, 1}}, pack_parameters(da, db, dc, kCount));
    const auto c = device.download<float>(dc, 1024);
    for (std::uint32_t i = 0; i < 1024; ++i) { REQUIRE(c[i] == (i < kCount ? a[i] + b[i] : -1.0f)); }
}

std::uint64_t resident_megabytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) >> 20;
}

TEST_CASE("filling with zeros gives pages back, and leaves what is beside them alone") {
    constexpr std::uint64_t kBytes = std::uint64_t{4} << 30;
    for (const bool in_file : {false, true}) {
        const int file = in_file ? memfd_create("device", 0) : -1;
        REQUIRE((!in_file || ftruncate(file, static_cast<off_t>(FlatMemory::kBytes)) == 0));
        {
            EmulatedDevice device(isa::KernelTable{}, {.memory_file = file});
            const DeviceAddress address = device.allocate(kBytes);
            const std::uint64_t before = resident_megabytes();
            device.fill(address, std::byte{0}, kBytes);
            CHECK(resident_megabytes() < before + 16);
            constexpr std::uint64_t kPart = 3 << 20;
            device.fill(address, std::byte{7}, kPart);
            device.fill(address + 100, std::byte{0}, kPart - 200);
            std::vector<std::byte> bytes(kPart);
            device.copy_from_device(bytes, address);
            for (std::uint64_t i = 0; i < kPart; ++i) {
                REQUIRE(bytes[i] == (i < 100 || i >= kPart - 100 ? std::byte{7} : std::byte{0}));
            }
        }
        if (in_file) { close(file); }
    }
}

TEST_CASE("counts are those of the instructions that ran") {
    EmulatedDevice device({test::vecadd_kernel()});
    constexpr std::uint32_t kCount = 1000;
    const DeviceAddress a = device.allocate(4096);
    device.launch("vecadd", {{4, 1, 1}, {256, 1, 1}}, pack_parameters(a, a, a, kCount));
    const ExecutionCounts& counts = device.counts();
    // 32 warps run 14 instructions each; in the last one 24 threads are beyond the end and 8 run all.
    CHECK(counts.total.warps == 32 * 14);
    CHECK(counts.loads_from(Space::global).warps == 64);
    CHECK(counts.loads_from(Space::global).threads == 2000);
    CHECK(counts.stores_to(Space::global) == InstructionCount{32, 1000});
    CHECK(counts.of(InstructionClass::single_precision) == InstructionCount{32, 1000});
    CHECK(counts.of(InstructionClass::memory) == InstructionCount{96, 3000});
    CHECK(counts.of(InstructionClass::predicate) == InstructionCount{32, 1024});
    // Control: 32 branches, taken by 24 threads; 32 exits of all.
    CHECK(counts.of(InstructionClass::control) == InstructionCount{64, 24 + 1024});
    InstructionCount sum;
    for (const InstructionCount& count : counts.by_class) { sum += count; }
    CHECK(sum == counts.total);
    CHECK(device.launches().size() == 1);
    CHECK(summarise(device.kernels()[0], device.executed(0)) == counts);
}

TEST_CASE("a launch more takes a hundred bytes at most, whatever it executes") {
    EmulatedDevice device({test::vecadd_kernel()});
    const DeviceAddress memory = device.allocate(4096);
    const auto launch = [&](std::uint64_t times) {
        for (; times > 0; --times) {
            device.launch("vecadd", {{1, 1, 1}, {32, 1, 1}}, pack_parameters(memory, memory, memory, 0u));
        }
    };
    constexpr std::uint64_t kLaunches = 1 << 12;
    launch(kLaunches);
    const auto before = ::mallinfo2();
    launch(kLaunches);
    const auto after = ::mallinfo2();
    CHECK(device.launches().size() == 2 * kLaunches);
    CHECK(after.uordblks + after.hblkhd < before.uordblks + before.hblkhd + 100 * kLaunches);
}

/// out[tid] = the result of `write_body`, which gets the builder, tid and the result's register.
template <class Body>
std::vector<std::uint32_t> run_threads(const isa::Dim3& block, const Body& write_body) {
    KernelBuilder k("body", {8});
    const auto tid = k.reg(), result = k.reg();
    const auto address = k.reg64();
    k.special(tid, isa::SpecialRegister::tid_x);
    k.op(Operation::mov, Type::b32, result, {k.literal(0)});
    write_body(k, tid, result);
    k.op(Operation::mad_wide, Type::u64, address, {tid, k.literal(4), k.parameter(0)}).source_type = Type::u32;
    k.store(Space::global, Type::u32, address, result);
    EmulatedDevice device({k.finish()});
    const DeviceAddress out = device.allocate(block.count() * 4);
    device.launch("body", {{1, 1, 1}, block}, pack_parameters(out));
    return device.download<std::uint32_t>(out, block.count());
}

TEST_CASE("warps exchange through shared memory across barriers, also after some have exited") {
    // Warp 3 exits; warps 0 to 2 store, wait, and read the next thread's value.
    const auto results = run_threads({128, 1, 1}, [](KernelBuilder& k, auto tid, auto result) {
        k.shared_bytes(96 * 4);
        const auto last = k.predicate();
        const auto slot = k.reg();
        k.setp(isa::Comparison::ge, Type::u32, last, tid, k.literal(96));
        k.guard(last);
        k.exit();
        k.unguard();
        k.op(Operation::shl, Type::b32, slot, {tid, k.literal(2)});
        k.store(Space::shared, Type::u32, slot, tid);
        k.barrier();
        k.op(Operation::add, Type::u32, slot, {tid, k.literal(1)});
        k.op(Operation::rem, Type::u32, slot, {slot, k.literal(96)});
        k.op(Operation::shl, Type::b32, slot, {slot, k.literal(2)});
        k.load(Space::shared, Type::u32, result, slot);
    });
    for (std::uint32_t tid = 0; tid < 96; ++tid) { CHECK(results[tid] == (tid + 1) % 96); }
}

TEST_CASE("a warp that spins on shared memory lets the warp run that it waits for") {
    const auto results = run_threads({64, 1, 1}, [](KernelBuilder& k, auto tid, auto result) {
        k.shared_bytes(4);
        const auto first = k.predicate(), unset = k.predicate();
        const auto set = k.label(), after = k.label();
        k.setp(isa::Comparison::ge, Type::u32, first, tid, k.literal(32));
        k.branch_if(first, set, after);
        const auto spin = k.here();
        k.load(Space::shared, Type::u32, result, k.literal(0));
        k.setp(isa::Comparison::eq, Type::u32, unset, result, k.literal(0));
        k.branch_if(unset, spin, after);
        k.branch(after);
        k.bind(set);
        k.store(Space::shared, Type::u32, k.literal(0), k.literal(42));
        k.bind(after);
    });
    for (std::uint32_t tid = 0; tid < 32; ++tid) { CHECK(results[tid] == 42); }
}

/// After a barrier all threads read the word of shared memory; the thread with `first` then stores to it.
void barrier_read_and_first_stores(KernelBuilder& k, KernelBuilder::Predicate first, KernelBuilder::Operand result) {
    k.barrier();
    k.load(Space::shared, Type::u32, result, k.literal(0));
    k.guard(first);
    k.store(Space::shared, Type::u32, k.literal(0), k.literal(42));
    k.unguard();
}

TEST_CASE("warps of a CTA keep up with one another, as programs need that lack a barrier behind a read") {
    constexpr std::uint32_t kThreads = 512;
    const auto results = run_threads({kThreads, 1, 1}, [](KernelBuilder& k, auto tid, auto result) {
        k.shared_bytes(4);
        const auto first = k.predicate();
        k.setp(isa::Comparison::eq, Type::u32, first, tid, k.literal(0));
        barrier_read_and_first_stores(k, first, result);
    });
    for (std::uint32_t tid = 0; tid < kThreads; ++tid) { CHECK(results[tid] == 0); }
}

TEST_CASE("a warp that runs while the others wait at a barrier does not run ahead of them when it opens") {
    constexpr std::uint32_t kThreads = 512;
    const auto results = run_threads({kThreads, 1, 1}, [](KernelBuilder& k, auto tid, auto result) {
        k.shared_bytes(4);
        const auto turns = k.reg();
        const auto first = k.predicate(), more = k.predicate();
        const auto end = k.label();
        k.setp(isa::Comparison::eq, Type::u32, first, tid, k.literal(0));
        k.op(Operation::mov, Type::b32, turns, {k.literal(200)});
        k.branch_if(!first, end, end);
        const auto begin = k.here();
        k.op(Operation::sub, Type::u32, turns, {turns, k.literal(1)});
        k.setp(isa::Comparison::ne, Type::u32, more, turns, k.literal(0));
        k.branch_if(more, begin, end);
        k.bind(end);
        barrier_read_and_first_stores(k, first, result);
    });
    for (std::uint32_t tid = 0; tid < kThreads; ++tid) { CHECK(results[tid] == 0); }
}

TEST_CASE("atomics return the old value and combine lanes in order") {
    const auto results = run_threads({32, 1, 1}, [](KernelBuilder& k, auto tid, auto result) {
        k.shared_bytes(8);
        k.atomic(Space::shared, isa::AtomicOp::exch, Type::b32, result, k.literal(0), tid);
        k.atomic(Space::shared, isa::AtomicOp::max, Type::u32, {}, k.literal(4), tid);
    });
    CHECK(results[0] == 0);
    for (std::uint32_t tid = 1; tid < 32; ++tid) { CHECK(results[tid] == tid - 1); }
}

TEST_CASE("fill, release and reuse of memory behave as on a device") {
    EmulatedDevice device({});
    const DeviceAddress a = device.allocate(1000);
    device.fill(a, std::byte{0x5a}, 1000);
    CHECK(device.download<std::uint8_t>(a, 1000) == std::vector<std::uint8_t>(1000, 0x5a));
    device.release(a);
    CHECK_THROWS_AS(device.fill(a, std::byte{0}, 1), ProgramError);
    CHECK(device.allocate(10) == a);
}

}  // namespace
}  // namespace lookahead
