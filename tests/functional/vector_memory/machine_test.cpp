// Vector memory instructions in hand-built machine kernels: register alignment, 32-bit addresses, the SMs.
#include <doctest/doctest.h>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/emit/emit.h"
#include "components/frontend/finaliser/emit/machine_cfg.h"
#include "components/isa/instruction.h"
#include "components/isa/memory_access.h"
#include "core/error/error.h"
#include "tests/support/kernel_builder.h"

namespace lookahead::test {
namespace {

using isa::Instruction;
using isa::Operand;
using isa::Operation;
using isa::Space;
using isa::Type;

/// A kernel with one vector memory instruction on shared memory, with its data from register `data` on and its indices,
/// if any, from `indices` on.
isa::Kernel hand_built(Operation operation, std::uint8_t length, std::uint16_t data, std::uint16_t indices) {
    KernelBuilder k("k", {});
    k.shared_bytes(1024);
    for (unsigned i = 0; i < 64; ++i) { k.reg(); }
    const bool loads = operation == Operation::load_stride || operation == Operation::load_indirect;
    const Operand words{Operand::Kind::reg, length, data};
    const Operand pattern =
        isa::is_strided(operation) ? Operand{Operand::Kind::reg, 1, 63} : Operand{Operand::Kind::reg, length, indices};
    const Operand address{Operand::Kind::reg, 1, 62};
    Instruction& instruction = loads ? k.op(operation, Type::b32, words, {address, pattern})
                                     : k.op(operation, Type::b32, {}, {address, words, pattern});
    instruction.space = Space::shared;
    instruction.vector = length;
    k.exit();
    isa::Kernel kernel = k.finish();
    finaliser::set_reconvergence(kernel.code);
    return kernel;
}

void run(const isa::Kernel& kernel) {
    EmulatedDevice device({kernel});
    device.launch("k", {{1, 1, 1}, {32, 1, 1}}, {});
}

constexpr Operation kOperations[] = {Operation::load_stride, Operation::store_stride, Operation::load_indirect,
                                     Operation::store_indirect};

TEST_CASE(
    "the emulator takes vector registers at multiples of four, and refuses all others by kernel, line and register") {
    for (const Operation operation : kOperations) {
        for (const std::uint8_t length : {4, 8, 16}) {
            for (std::uint16_t data = 0; data <= 12; ++data) {
                CAPTURE(static_cast<int>(operation));
                CAPTURE(data);
                const isa::Kernel kernel = hand_built(operation, length, data, 32);
                if (data % 4 == 0) {
                    CHECK_NOTHROW(run(kernel));
                } else {
                    const std::string place = "k.ptx:1: kernel k: ", from = "from R" + std::to_string(data) + " on";
                    CHECK_THROWS_WITH_AS(run(kernel), doctest::Contains(place.c_str()), InputError);
                    CHECK_THROWS_WITH_AS(run(kernel), doctest::Contains(from.c_str()), InputError);
                }
            }
        }
    }
}

TEST_CASE("indices are aligned, too") {
    for (const Operation operation : {Operation::load_indirect, Operation::store_indirect}) {
        CHECK_NOTHROW(run(hand_built(operation, 8, 0, 36)));
        CHECK_THROWS_AS(run(hand_built(operation, 8, 0, 37)), InputError);
        CHECK_THROWS_AS(run(hand_built(operation, 8, 0, 38)), InputError);
    }
}

TEST_CASE("the finaliser's check finds vector registers that are not aligned, wrong lengths, types and spaces") {
    for (const Operation operation : kOperations) {
        CAPTURE(static_cast<int>(operation));
        for (const std::uint8_t length : {4, 8, 16}) {
            const isa::Kernel right = hand_built(operation, length, 16, 32);
            CHECK_NOTHROW(finaliser::verify(right));
            CHECK_THROWS_AS(finaliser::verify(hand_built(operation, length, 18, 32)), InternalError);
            isa::Kernel wrong = right;
            wrong.code[0].space = Space::generic;
            CHECK_THROWS_AS(finaliser::verify(wrong), InternalError);
            wrong = right;
            wrong.code[0].type = Type::b16;
            CHECK_THROWS_AS(finaliser::verify(wrong), InternalError);
            wrong = right;
            wrong.code[0].source[0].kind = Operand::Kind::none;
            CHECK_THROWS_AS(finaliser::verify(wrong), InternalError);
        }
        CHECK_THROWS_AS(finaliser::verify(hand_built(operation, 2, 16, 32)), InternalError);
    }
    CHECK_THROWS_AS(finaliser::verify(hand_built(Operation::load_indirect, 4, 16, 33)), InternalError);
}

TEST_CASE("element addresses: strides and indices are signed; 32-bit addresses stay in their window") {
    Instruction instruction;
    instruction.type = Type::b32;
    instruction.vector = 4;
    instruction.offset = 16;
    std::uint32_t low[isa::kWarpSize] = {}, high[isa::kWarpSize] = {}, pattern[isa::kWarpSize] = {};
    std::uint64_t addresses[isa::kWarpSize];
    const auto lane_0 = [&](Operation operation, unsigned element, std::uint8_t rows) {
        instruction.operation = operation;
        instruction.source[0] = {Operand::Kind::reg, rows, 0};
        isa::compute_element_addresses(instruction, element, low, high, pattern, addresses);
        return addresses[0];
    };
    low[0] = 0xfffffff0;
    high[0] = 0x10;
    pattern[0] = 3;
    CHECK(lane_0(Operation::load_stride, 0, 2) == 0x1100000000);
    CHECK(lane_0(Operation::load_stride, 2, 2) == 0x1100000018);
    CHECK(lane_0(Operation::load_indirect, 2, 2) == 0x110000000c);
    pattern[0] = static_cast<std::uint32_t>(-3);
    CHECK(lane_0(Operation::store_stride, 2, 2) == 0x10ffffffe8);
    CHECK(lane_0(Operation::store_indirect, 2, 2) == 0x10fffffff4);
    instruction.address_window = 0x10;
    CHECK(lane_0(Operation::load_stride, 0, 1) == 0x1000000000);
    CHECK(lane_0(Operation::load_stride, 2, 1) == 0x10ffffffe8);
    pattern[0] = 0x40000000;
    CHECK(lane_0(Operation::load_indirect, 1, 1) == 0x1000000000);
    CHECK(lane_0(Operation::load_indirect, 1, 2) == 0x1200000000);
}

/// The four registers from R0 on after one thread's vector load at `words`, which are 0, 10, 20, .... Before it they
/// are its address (pair R0:1), its stride (R2) or its indices (R0 to R3), as `build` chooses.
template <class Build>
std::vector<std::uint32_t> loaded_over(const Build& build) {
    KernelBuilder k("k", {8, 8});
    const Operand data = k.registers(4), elsewhere = k.registers(4);
    Instruction& load = build(k, data, elsewhere);
    load.space = Space::global;
    load.vector = 4;
    const Operand out = k.reg64();
    k.op(Operation::mov, Type::b64, out, {k.parameter(1)});
    k.store(Space::global, Type::b32, out, data, 0, 4);
    k.exit();
    EmulatedDevice device({k.finish()});
    std::vector<std::uint32_t> words(64), four(4);
    for (std::uint32_t i = 0; i < words.size(); ++i) { words[i] = 10 * i; }
    const DeviceAddress from = device.upload(words), to = device.upload(four);
    device.launch("k", {{1, 1, 1}, {1, 1, 1}}, pack_parameters(from, to));
    return device.download<std::uint32_t>(to, 4);
}

TEST_CASE("a load may write over its indices, its stride and its address") {
    const auto set = [](KernelBuilder& k, Operand to, std::uint32_t value) {
        k.op(Operation::mov, Type::b32, to, {k.literal(value)});
    };
    CHECK(loaded_over([&](KernelBuilder& k, Operand data, Operand elsewhere) -> Instruction& {
              const Operand address{Operand::Kind::reg, 2, elsewhere.index};
              k.op(Operation::mov, Type::b64, address, {k.parameter(0)});
              for (unsigned i = 0; i < 4; ++i) { set(k, KernelBuilder::word(data, i), 3 * i + 1); }
              return k.op(Operation::load_indirect, Type::b32, data, {address, data});
          }) == std::vector<std::uint32_t>{10, 40, 70, 100});
    CHECK(loaded_over([&](KernelBuilder& k, Operand data, Operand) -> Instruction& {
              const Operand address{Operand::Kind::reg, 2, data.index};
              k.op(Operation::mov, Type::b64, address, {k.parameter(0)});
              set(k, KernelBuilder::word(data, 2), 5);
              return k.op(Operation::load_stride, Type::b32, data, {address, KernelBuilder::word(data, 2)});
          }) == std::vector<std::uint32_t>{0, 50, 100, 150});
}

}  // namespace
}  // namespace lookahead::test
