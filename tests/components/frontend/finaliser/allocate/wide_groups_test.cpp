#include <doctest/doctest.h>

#include <numeric>

#include "components/emulator/emulated_device.h"
#include "components/frontend/finaliser/allocate/allocate.h"
#include "components/frontend/finaliser/emit/emit.h"
#include "components/frontend/finaliser/emit/print.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/spill/spill_registers.h"
#include "components/isa/instruction.h"
#include "core/error/error.h"
#include "tests/components/frontend/finaliser/function_transform.h"
#include "tests/components/frontend/finaliser/test_kernel.h"

using namespace lookahead;
using namespace lookahead::finaliser;
using namespace lookahead::finaliser::test;
using isa::Operand;
using isa::Operation;

namespace {

constexpr unsigned kWords = 16;
constexpr unsigned kThreads = 33;

/// Each lane has 64 bytes in each of `vectors` areas, 4096 bytes apart: loads all and stores them in reverse order.
TransformFunction moves_vectors(unsigned vectors, std::uint8_t words = kWords) {
    return [=](KernelUnderWork& kernel, const FinaliserOptions&) {
        VirtualKernel& code = kernel.main;
        auto& first = code.blocks[0].code;
        std::erase_if(first, [](const VirtualInstruction& each) { return each.machine.operation == Operation::load; });
        const auto store = std::ranges::find_if(
            first, [](const VirtualInstruction& each) { return each.machine.operation == Operation::store; });
        REQUIRE(store != first.end());
        std::vector<VirtualInstruction> accesses;
        std::vector<std::uint32_t> groups;
        const auto access = [&](Operation operation, unsigned area) {
            VirtualInstruction made = *store;
            made.machine.operation = operation;
            made.machine.type = isa::Type::u32;
            made.machine.order = isa::Order::volatile_;
            made.machine.vector = words;
            made.machine.offset = static_cast<std::int32_t>(4096 * area);
            made.source[1] = {};
            return made;
        };
        for (unsigned i = 0; i < vectors; ++i) {
            groups.push_back(code.new_rows(words));
            VirtualInstruction load = access(Operation::load, i);
            load.destination = groups.back();
            load.destination_rows = words;
            accesses.push_back(load);
        }
        for (unsigned i = 0; i < vectors; ++i) {
            VirtualInstruction back = access(Operation::store, i);
            back.source[1] = {Operand::Kind::reg, words, groups[vectors - 1 - i]};
            accesses.push_back(back);
        }
        const auto place = first.erase(store);
        first.insert(place, accesses.begin(), accesses.end());
    };
}

isa::Kernel moving_kernel(unsigned vectors, unsigned limit, std::uint8_t words = kWords) {
    FinaliserOptions options = with_transform(moves_vectors(vectors, words));
    options.isa.registers = limit;
    return kernel_of(
        "mov.u32 %r0, %tid.x; mul.wide.u32 %rd0, %r0, 64; add.s64 %rd0, %out, %rd0; st.global.u32 [%rd0], %a;",
        options);
}

/// Whether the areas' contents are exchanged.
bool reverses(const isa::Kernel& kernel, unsigned vectors) {
    std::vector<std::uint32_t> words(vectors * 1024);
    std::iota(words.begin(), words.end(), 5U);
    EmulatedDevice device({kernel}, {100'000});
    const DeviceAddress out = device.upload(words);
    device.launch("k", {{1, 1, 1}, {kThreads, 1, 1}}, pack_parameters(out, 0U, 0U));
    const auto result = device.download<std::uint32_t>(out, words.size());
    for (unsigned area = 0; area < vectors; ++area) {
        for (unsigned word = 0; word < 1024; ++word) {
            const unsigned from = word < kThreads * kWords ? vectors - 1 - area : area;
            if (result[area * 1024 + word] != words[from * 1024 + word]) { return false; }
        }
    }
    return true;
}

}  // namespace

TEST_CASE("a group stands at a multiple of its rows, rounded up to a power of two, up to 16") {
    VirtualKernel kernel;
    for (const auto& [rows, alignment] : {std::pair{1, 1}, {2, 2}, {3, 4}, {4, 4}, {5, 8}, {8, 8}, {9, 16}, {16, 16}}) {
        kernel.new_rows(static_cast<unsigned>(rows));
        CHECK(kernel.groups.back().alignment == alignment);
    }
    CHECK_THROWS_AS(kernel.new_rows(17), InternalError);
    CHECK_THROWS_AS(kernel.new_rows(0), InternalError);
}

TEST_CASE("a memory instruction has up to 16 rows of data, and no more") {
    isa::Instruction load;
    load.operation = Operation::load;
    load.type = isa::Type::u32;
    load.vector = 16;
    CHECK(shape_of(load).destination == 16);
    load.operation = Operation::store;
    CHECK(shape_of(load).source[1] == 1U << 16);
    load.type = isa::Type::u64;
    CHECK(shape_of(load).source[1] == 0);
    load.vector = 8;
    CHECK(shape_of(load).source[1] == 1U << 16);
}

TEST_CASE("a group of 16 beside its address takes 18 registers: 18 suffice, 17 do not") {
    const isa::Kernel kernel = moving_kernel(1, 18);
    CHECK(kernel.registers == 18);
    CHECK(spill_instructions(kernel).total() == 0);
    CHECK(kernel.code[position(kernel, "LD")].destination % 16 == 0);
    CHECK(reverses(kernel, 1));
    CHECK_THROWS_AS(moving_kernel(1, 17), RegisterLimitError);
}

TEST_CASE("two groups of 16 that live together: 34 registers suffice, at 33 they are spilled, down to 18") {
    const isa::Kernel roomy = moving_kernel(2, 34);
    CHECK(roomy.registers == 34);
    CHECK(spill_instructions(roomy).total() == 0);
    CHECK(reverses(roomy, 2));
    for (unsigned limit : {33U, 32U, 20U, 19U, 18U}) {
        CAPTURE(limit);
        const isa::Kernel tight = moving_kernel(2, limit);
        CHECK(tight.registers <= limit);
        CHECK(spill_instructions(tight).loads >= kWords);
        CHECK(spill_instructions(tight).stores >= kWords);
        CHECK(tight.spill_bytes % 4 == 0);
        CHECK(tight.spill_bytes >= 4 * kWords);
        CHECK(reverses(tight, 2));
    }
    CHECK_THROWS_AS(moving_kernel(2, 17), RegisterLimitError);
}

TEST_CASE("groups of 8 find places at multiples of 8") {
    const isa::Kernel kernel = moving_kernel(3, 26, 8);
    CHECK(kernel.registers == 26);
    CHECK(spill_instructions(kernel).total() == 0);
    for (const isa::Instruction& instruction : kernel.code) {
        if (instruction.operation == Operation::load) { CHECK(instruction.destination % 8 == 0); }
    }
    CHECK(spill_instructions(moving_kernel(3, 25, 8)).total() > 0);
}
