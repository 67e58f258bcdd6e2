#include <doctest/doctest.h>

#include <string>

#include "components/emulator/emulated_device.h"
#include "core/error/error.h"
#include "tests/support/kernel_builder.h"
#include "tests/support/sample_kernels.h"

namespace lookahead {
namespace {

using isa::Operation;
using isa::Space;
using isa::Type;
using test::KernelBuilder;

std::string complaint(EmulatedDevice& device, std::string_view kernel, const isa::Dim3& block,
                      std::span<const std::byte> parameters = {}) {
    try {
        device.launch(kernel, {{1, 1, 1}, block}, parameters);
    } catch (const ProgramError& error) {
        CHECK(error.code() == ExitCode::program_misbehaved);
        return error.what();
    }
    return "no complaint";
}
std::string complaint(const isa::Kernel& kernel, const isa::Dim3& block, EmulatorOptions options = {}) {
    EmulatedDevice device({kernel}, options);
    return complaint(device, kernel.name, block);
}

void check_mentions(const std::string& sentence, std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) {
        INFO(sentence);
        CHECK(sentence.find(word) != std::string::npos);
    }
}

TEST_CASE("an access beyond an allocation names kernel, line, PC, lane, thread, address and the nearest allocation") {
    EmulatedDevice device({test::vecadd_kernel()});
    const DeviceAddress a = device.allocate(100 * 4);
    check_mentions(complaint(device, "vecadd", {128, 1, 1}, pack_parameters(a, a, a, 128u)),
                   {"kernel vecadd", "vecadd.ptx:8", "PC 0x38", "lane 4", "thread (100, 0, 0)", "0x1000000190",
                    "load of 4 bytes from global memory", "[0x1000000000, 0x1000000190)", "illegal address"});
    device.launch("vecadd", {{1, 1, 1}, {128, 1, 1}}, pack_parameters(a, a, a, 100u));
}

TEST_CASE("an access with nothing allocated says so") {
    EmulatedDevice device({test::vecadd_kernel()});
    const DeviceAddress nowhere = 0;
    check_mentions(complaint(device, "vecadd", {32, 1, 1}, pack_parameters(nowhere, nowhere, nowhere, 1u)),
                   {"illegal address", "at 0x0", "nothing is allocated"});
}

TEST_CASE("an access to released memory is an error") {
    EmulatedDevice device({test::vecadd_kernel()});
    const DeviceAddress a = device.allocate(128), b = device.allocate(128);
    device.launch("vecadd", {{1, 1, 1}, {32, 1, 1}}, pack_parameters(a, b, a, 32u));
    device.release(b);
    check_mentions(complaint(device, "vecadd", {32, 1, 1}, pack_parameters(a, b, a, 32u)), {"illegal address"});
}

TEST_CASE("a misaligned access is an error") {
    EmulatedDevice device({test::vecadd_kernel()});
    const DeviceAddress a = device.allocate(256), b = a + 2;
    check_mentions(complaint(device, "vecadd", {32, 1, 1}, pack_parameters(a, b, a, 32u)),
                   {"misaligned address", "0x1000000002", "lane 0", "vecadd.ptx:10"});
}

TEST_CASE("shared memory ends where the launch says") {
    const auto store_at = [](std::uint32_t offset) {
        KernelBuilder k("k", {});
        k.shared_bytes(64);
        k.store(Space::shared, Type::u32, k.literal(offset), k.literal(1));
        return k.finish();
    };
    CHECK(complaint(store_at(60), {1, 1, 1}) == "no complaint");
    check_mentions(complaint(store_at(64), {1, 1, 1}), {"beyond the CTA's shared memory", "0x40", "k.ptx:1"});
    EmulatedDevice device({store_at(64)});
    device.launch("k", {{1, 1, 1}, {1, 1, 1}, 4}, {});  // inside, thanks to dynamic shared memory
}

TEST_CASE("warps that wait at different barriers for ever are a deadlock, with the places where they wait") {
    KernelBuilder k("k", {});
    const auto tid = k.reg();
    const auto second = k.predicate();
    const auto other = k.label(), end = k.label();
    k.special(tid, isa::SpecialRegister::tid_x);
    k.setp(isa::Comparison::ge, Type::u32, second, tid, k.literal(32));
    k.branch_if(second, other, end);
    k.barrier(0);
    k.branch(end);
    k.bind(other);
    k.barrier(1);
    k.bind(end);
    check_mentions(complaint(k.finish(), {64, 1, 1}),
                   {"deadlock", "warp 0 waits at barrier 0, at which 1 of 2 warps have arrived, k.ptx:4",
                    "warp 1 waits at barrier 1, at which 1 of 2 warps have arrived, k.ptx:6"});
    CHECK(complaint(k.finish(), {32, 1, 1}) == "no complaint");
}

TEST_CASE("a barrier that only part of a warp can reach is a deadlock; one that all living lanes reach is not") {
    const auto kernel = [](bool others_exit) {
        KernelBuilder k("k", {});
        const auto tid = k.reg();
        const auto high = k.predicate();
        const auto end = k.label();
        k.special(tid, isa::SpecialRegister::tid_x);
        k.setp(isa::Comparison::ge, Type::u32, high, tid, k.literal(16));
        k.guard(high);
        if (others_exit) {
            k.exit();
        } else {
            k.branch(end, end);
        }
        k.unguard();
        k.barrier();
        k.bind(end);
        return k.finish();
    };
    check_mentions(complaint(kernel(false), {32, 1, 1}),
                   {"deadlock", "divergent", "0xffffffff", "0x0000ffff", "k.ptx:4"});
    CHECK(complaint(kernel(true), {64, 1, 1}) == "no complaint");
}

TEST_CASE("a kernel that never ends stops at the instruction limit; one that just fits does not") {
    KernelBuilder endless("endless", {});
    const auto loop = endless.here();
    endless.branch(loop);
    check_mentions(complaint(endless.finish(), {64, 1, 1}, {1000000}),
                   {"limit of 1000000 warp instructions", "endless"});

    KernelBuilder three("three", {});
    const auto r = three.reg();
    three.op(Operation::mov, Type::b32, r, {three.literal(1)});
    three.op(Operation::mov, Type::b32, r, {three.literal(1)});
    three.exit();
    CHECK(complaint(three.finish(), {64, 1, 1}, {6}) == "no complaint");
    check_mentions(complaint(three.finish(), {64, 1, 1}, {5}), {"limit of 5"});
}

TEST_CASE("the limit counts all launches together") {
    KernelBuilder one("one", {});
    one.exit();
    EmulatedDevice device({one.finish()}, {2});
    CHECK(complaint(device, "one", {32, 1, 1}) == "no complaint");
    CHECK(complaint(device, "one", {32, 1, 1}) == "no complaint");
    check_mentions(complaint(device, "one", {32, 1, 1}), {"limit of 2"});
}

TEST_CASE("a trap, an unknown kernel, wrong parameters and an impossible block are errors") {
    KernelBuilder k("k", {4});
    k.op(Operation::trap, Type::none, {}, {});
    EmulatedDevice device({k.finish()});
    check_mentions(complaint(device, "k", {1, 1, 1}, pack_parameters(1u)), {"trap", "k.ptx:1"});
    check_mentions(complaint(device, "nobody", {1, 1, 1}), {"nobody"});
    check_mentions(complaint(device, "k", {1, 1, 1}), {"0 bytes of parameters", "takes 4"});
    check_mentions(complaint(device, "k", {2048, 1, 1}, pack_parameters(1u)), {"1024"});
}

TEST_CASE("an instruction without semantics is refused before anything runs, with its line") {
    KernelBuilder k("k", {});
    const auto r = k.reg();
    k.op(Operation::mov, Type::b32, r, {k.literal(1)});
    k.op(Operation::tanh, Type::u32, r, {r});
    EmulatedDevice device({k.finish()});
    CHECK_THROWS_WITH_AS(device.launch("k", {{1, 1, 1}, {1, 1, 1}}, {}), doctest::Contains("k.ptx:2"), InputError);
    CHECK(device.counts().total.warps == 0);
}

TEST_CASE("copies outside allocations are errors, those to their last byte are not") {
    EmulatedDevice device({});
    const DeviceAddress a = device.allocate(16);
    std::vector<std::byte> bytes(17);
    CHECK_THROWS_AS(device.copy_to_device(a, bytes), ProgramError);
    CHECK_THROWS_AS(device.copy_from_device(bytes, a), ProgramError);
    CHECK_THROWS_AS(device.fill(a + 1, std::byte{}, 16), ProgramError);
    bytes.pop_back();
    CHECK_NOTHROW(device.copy_to_device(a, bytes));
    CHECK_NOTHROW(device.copy_from_device(bytes, a));
    CHECK_NOTHROW(device.fill(a, std::byte{}, 16));
}

}  // namespace
}  // namespace lookahead
