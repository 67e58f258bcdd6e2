#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "components/sm/pipeline/decoded_kernel.h"
#include "components/sm/pipeline/scoreboard.h"
#include "core/error/error.h"
#include "tests/components/sm/kernels.h"

namespace lookahead::gpu {
namespace {

using isa::Operation;
using isa::Type;
using test::KernelBuilder;

std::vector<unsigned> bits_of(const std::uint64_t* words, unsigned count) {
    std::vector<unsigned> bits;
    for (unsigned bit = 0; bit < 64 * count; ++bit) {
        if (words[bit / 64] >> (bit % 64) & 1) { bits.push_back(bit); }
    }
    return bits;
}

TEST_CASE("an instruction needs its sources, guard and destinations, and writes its destinations") {
    KernelBuilder k("k", {});
    const auto a = k.reg64(), b = k.reg64(), c = k.reg64();
    const auto p = k.predicate();
    k.guard(p);
    k.op(Operation::add, Type::u64, c, {a, b});
    k.unguard();
    k.setp(isa::Comparison::lt, Type::u32, p, KernelBuilder::word(a, 0), k.literal(3));
    const isa::Kernel kernel = k.finish();
    const DecodedKernel decoded(kernel, {});
    CHECK(bits_of(decoded.needs(0), 1) == std::vector<unsigned>{0, 1, 2, 3, 4, 5, 6});
    CHECK(bits_of(decoded.writes(0), 1) == std::vector<unsigned>{4, 5});
    CHECK(bits_of(decoded.needs(1), 1) == std::vector<unsigned>{0, 6});
    CHECK(bits_of(decoded.writes(1), 1) == std::vector<unsigned>{6});
    CHECK(decoded[1].writes_predicate);
    CHECK_FALSE(decoded[2].writes);
}

TEST_CASE("57 registers fit one scoreboard word beside 7 predicates, 58 do not") {
    isa::Kernel kernel;
    kernel.code.resize(1);
    kernel.code[0].operation = Operation::exit;
    kernel.registers = 57;
    CHECK(DecodedKernel(kernel, {}).scoreboard_words() == 1);
    kernel.registers = 58;
    CHECK(DecodedKernel(kernel, {}).scoreboard_words() == 2);
    kernel.registers = 255;
    CHECK(DecodedKernel(kernel, {}).scoreboard_words() == 5);
}

TEST_CASE("a vector store reads up to 34 registers, all of which it waits for") {
    isa::Kernel kernel;
    kernel.name = "k";
    kernel.registers = 48;
    kernel.code.resize(1);
    isa::Instruction& store = kernel.code[0];
    store.operation = Operation::store;
    store.type = Type::u32;
    store.vector = 16;
    const auto reads = [&] {
        const DecodedKernel decoded(kernel, {});
        std::vector<unsigned> all(decoded[0].read_registers(), decoded[0].read_registers() + decoded[0].reads);
        std::vector<unsigned> sorted = all;
        std::ranges::sort(sorted);
        CHECK(bits_of(decoded.needs(0), 1) == sorted);
        return all;
    };
    store.source[0] = {isa::Operand::Kind::reg, 2, 0};
    store.source[1] = {isa::Operand::Kind::reg, 6, 8};
    CHECK(reads() == std::vector<unsigned>{0, 1, 8, 9, 10, 11, 12, 13});
    store.source[1].rows = 7;
    CHECK(reads() == std::vector<unsigned>{0, 1, 8, 9, 10, 11, 12, 13, 14});
    store.source[1] = {isa::Operand::Kind::reg, 16, 16};
    CHECK(reads().size() == 18);
    store.source[2] = {isa::Operand::Kind::reg, 16, 32};
    CHECK(reads().size() == kMaximumReads);
    store.source[3] = {isa::Operand::Kind::reg, 1, 4};
    CHECK_THROWS_AS(DecodedKernel(kernel, {}), InternalError);
}

TEST_CASE("a kernel's further programs have their registers and predicates in the same scoreboard") {
    isa::Kernel kernel;
    kernel.name = "k";
    kernel.registers = 2;
    kernel.code.resize(2);
    for (isa::Instruction& instruction : kernel.code) {
        instruction.operation = Operation::mov;
        instruction.type = Type::u32;
        instruction.destination_rows = 1;
        instruction.source[0] = {isa::Operand::Kind::reg, 1, 0};
        instruction.guard = 1;
    }
    kernel.code[1].destination = 59;
    kernel.programs = {{"second", 1, 2, 60, 2}};
    const DecodedKernel decoded(kernel, {});
    CHECK(decoded.first_predicate_bit() == 60);
    CHECK(decoded.scoreboard_words() == 2);
    CHECK(bits_of(decoded.reads(0), 2) == std::vector<unsigned>{0, 61});
    CHECK(bits_of(decoded.writes(1), 2) == std::vector<unsigned>{59});
    kernel.programs[0].registers = 59;
    CHECK_THROWS_AS(DecodedKernel(kernel, {}), InternalError);
}

TEST_CASE("instructions go to the units and timing classes of the machine") {
    const auto class_for = [](Operation operation, Type type) {
        isa::Instruction instruction;
        instruction.operation = operation;
        instruction.type = type;
        return class_of(instruction);
    };
    CHECK(class_for(Operation::add, Type::u32) == InstructionClass::integer);
    CHECK(class_for(Operation::max, Type::s32) == InstructionClass::integer_min_max);
    CHECK(class_for(Operation::mul_lo, Type::u32) == InstructionClass::integer_multiply);
    CHECK(class_for(Operation::rem, Type::u32) == InstructionClass::integer_divide);
    CHECK(class_for(Operation::fma, Type::f32) == InstructionClass::fp32_fma);
    CHECK(class_for(Operation::div, Type::f64) == InstructionClass::fp64_divide);
    CHECK(class_for(Operation::ex2, Type::f32) == InstructionClass::special);
    CHECK(unit_of(InstructionClass::integer_mad) == ExecutionUnit::sp);
    CHECK(unit_of(InstructionClass::fp32_divide) == ExecutionUnit::sfu);
    CHECK(unit_of(InstructionClass::fp64_add) == ExecutionUnit::dp);
    CHECK(unit_of(InstructionClass::fence) == ExecutionUnit::memory);
    CHECK(unit_of(InstructionClass::barrier) == ExecutionUnit::control);
}

TEST_CASE("code that names a register beyond the kernel's is refused") {
    isa::Kernel kernel;
    kernel.name = "k";
    kernel.registers = 2;
    kernel.code.resize(1);
    kernel.code[0].operation = Operation::mov;
    kernel.code[0].type = Type::u32;
    kernel.code[0].destination_rows = 1;
    kernel.code[0].source[0] = {isa::Operand::Kind::reg, 1, 0};
    kernel.code[0].destination = 1;
    CHECK_NOTHROW(DecodedKernel(kernel, {}));
    kernel.code[0].destination = 2;
    CHECK_THROWS_AS(DecodedKernel(kernel, {}), InternalError);
}

TEST_CASE("the scoreboard blocks what is pending, tells memory apart, and keeps contexts apart") {
    Scoreboard scoreboard(4);
    scoreboard.resize(2);
    const std::uint64_t low[2] = {1, 0}, high[2] = {0, 1}, both[2] = {1, 1};
    scoreboard.reserve(2, low, false);
    scoreboard.reserve(2, high, true);
    CHECK(scoreboard.blocks(2, low));
    CHECK(scoreboard.blocks(2, high));
    CHECK_FALSE(scoreboard.blocks_for_memory(2, low));
    CHECK(scoreboard.blocks_for_memory(2, both));
    CHECK_FALSE(scoreboard.blocks(1, both));
    CHECK_FALSE(scoreboard.blocks(3, both));
    scoreboard.release(2, high);
    CHECK_FALSE(scoreboard.blocks(2, high));
    CHECK_FALSE(scoreboard.blocks_for_memory(2, both));
    CHECK(scoreboard.blocks(2, low));
}

TEST_CASE("simple_latency is that of what is no addition, multiplication or special function") {
    KernelBuilder k("k", {});
    const auto a = k.reg(), b = k.reg();
    const auto p = k.predicate();
    k.op(Operation::add, Type::u32, b, {a, a});
    k.op(Operation::bit_and, Type::b32, b, {a, a});
    k.setp(isa::Comparison::lt, Type::f32, p, a, b);
    k.op(Operation::mul_lo, Type::u32, b, {a, a});
    const isa::Kernel kernel = k.finish();
    TimingParameters timing;
    const auto latencies = [&] {
        const DecodedKernel decoded(kernel, timing);
        return std::vector<unsigned>{decoded[0].latency, decoded[1].latency, decoded[2].latency, decoded[3].latency};
    };
    CHECK(latencies() == std::vector<unsigned>{4, 4, 4, 4});
    timing.simple_latency = 2;
    CHECK(latencies() == std::vector<unsigned>{4, 2, 2, 4});
}

TEST_CASE("control_on_sp sends branches, barriers and exits to the SP units") {
    KernelBuilder k("k", {});
    k.exit();
    const isa::Kernel kernel = k.finish();
    CHECK(DecodedKernel(kernel, {})[0].unit == ExecutionUnit::control);
    CHECK(DecodedKernel(kernel, {}, {.control_on_sp = true})[0].unit == ExecutionUnit::sp);
}

}  // namespace
}  // namespace lookahead::gpu
