#include <doctest/doctest.h>

#include <array>

#include "components/isa/instruction.h"
#include "components/sm/instruction_class.h"
#include "tests/components/sm/kernels.h"
#include "tests/components/sm/print_cycles.h"
#include "tests/components/sm/sm_harness.h"

namespace lookahead::test {
namespace {

/// The first instruction of a CTA assigned at cycle 10 issues when the first fetch is decoded.
constexpr Cycle kFirstIssue = 12;

struct OperationTiming {
    const char* name;
    Operation operation;
    Type type;
    Cycle latency;
    Cycle initiation;
    unsigned units;
};
// BASELINE's table of the GTX 480; two SP units, one SFU, one DP unit.
const OperationTiming kTimings[] = {
    {"integer add", Operation::add, Type::u32, 4, 1, 2},    {"integer max", Operation::max, Type::s32, 13, 2, 2},
    {"integer mul", Operation::mul_lo, Type::u32, 4, 2, 2}, {"integer mad", Operation::mad_lo, Type::u32, 5, 1, 2},
    {"integer div", Operation::div, Type::u32, 145, 8, 1},  {"fp32 add", Operation::add, Type::f32, 4, 1, 2},
    {"fp32 max", Operation::max, Type::f32, 13, 2, 2},      {"fp32 mul", Operation::mul_lo, Type::f32, 4, 1, 2},
    {"fp32 fma", Operation::fma, Type::f32, 5, 1, 2},       {"fp32 div", Operation::div, Type::f32, 39, 4, 1},
    {"fp64 add", Operation::add, Type::f64, 8, 8, 1},       {"fp64 mul", Operation::mul_lo, Type::f64, 8, 8, 1},
    {"fp64 fma", Operation::fma, Type::f64, 8, 8, 1},       {"fp64 div", Operation::div, Type::f64, 330, 130, 1},
};

std::vector<Cycle> differences(const std::vector<Cycle>& cycles) {
    std::vector<Cycle> result;
    for (std::size_t i = 1; i < cycles.size(); ++i) { result.push_back(cycles[i] - cycles[i - 1]); }
    return result;
}

/// The cycles in which the first `count` instructions of a CTA issue.
std::vector<Cycle> issue_cycles(const isa::Kernel& kernel, unsigned count, const std::string& keys = "",
                                unsigned threads = 32) {
    PlainSmHarness harness({kernel}, keys.empty() ? "" : "[sm]\n" + keys);
    harness.launch({.block = {threads, 1, 1}});
    return harness.issue_cycles(count);
}

TEST_CASE("a dependent instruction issues exactly one latency after the one it needs") {
    for (const OperationTiming& timing : kTimings) {
        CAPTURE(timing.name);
        const std::vector<Cycle> cycles = issue_cycles(dependent_chain(timing.operation, timing.type, 6), 6);
        CHECK(cycles.front() == kFirstIssue);
        CHECK(differences(cycles) == std::vector<Cycle>(5, timing.latency));
    }
}

TEST_CASE("a unit takes an instruction every initiation interval, and as many units as there are work side by side") {
    for (const OperationTiming& timing : kTimings) {
        CAPTURE(timing.name);
        // Each of 16 warps runs the operation once; all are ready when the last one has been fetched.
        PlainSmHarness harness({independent_chain(timing.operation, timing.type, 1)}, "[sm.timing]\n");
        harness.launch({.block = {512, 1, 1}});
        std::vector<Cycle> cycles;
        for (unsigned before = 0; cycles.size() < 16;) {
            harness.run_until(harness.now() + 1);
            unsigned issued = 0;
            for (const std::uint64_t count : harness.counters().by_class) { issued += static_cast<unsigned>(count); }
            issued -=
                static_cast<unsigned>(harness.counters().by_class[static_cast<unsigned>(gpu::InstructionClass::exit)]);
            for (; before < issued; ++before) { cycles.push_back(harness.now() - 1); }
            REQUIRE(harness.now() < 10'000);
        }
        if (timing.initiation > 2) {
            // Slower than fetching one warp per cycle: the unit is the bottleneck from the first one on.
            CHECK(differences(cycles) == std::vector<Cycle>(15, timing.initiation));
        } else {
            // One new warp per cycle: the units keep up with fetch.
            CHECK(differences(cycles) == std::vector<Cycle>(15, 1));
        }
    }
}

TEST_CASE("two schedulers issue to two SP units in one cycle, but to one unit they take turns") {
    // Warps 0 and 1 belong to different schedulers; multiplications occupy an SP unit for two cycles.
    for (const bool two_units : {true, false}) {
        PlainSmHarness harness({independent_chain(Operation::mul_lo, Type::u32, 8)},
                               two_units ? "" : "[sm]\nsp_units = 1\n");
        harness.run_to_end({.block = {64, 1, 1}});
        const Cycle cycles = static_cast<Cycle>(harness.counters().active_cycles);
        if (two_units) {
            CHECK(cycles < 32);
        } else {
            CHECK(cycles >= 32);  // 16 multiplications at 2 cycles each
            CHECK(harness.charged(gpu::SchedulerCycle::unit_full) > 10);
        }
    }
}

/// Active cycles of warps of eight independent operations each, all fetched at once, with one SP unit that takes a warp
/// in two cycles.
Cycle cycles_of(Operation operation, Type type, unsigned warps, const std::string& keys) {
    PlainSmHarness harness({independent_chain(operation, type, 8)},
                           "[sm]\ninstruction_buffer = 8\nsp_units = 1\n" + keys +
                               "[sm.timing]\ninteger_initiation = 2\nfp32_add_initiation = 2\n");
    harness.run_to_end({.block = {32 * warps, 1, 1}});
    return static_cast<Cycle>(harness.counters().active_cycles);
}

TEST_CASE("units of a scheduler's own serve its warps alone, and all schedulers' work at the same time") {
    // 16 warps of 8 operations at 2 cycles each, with one unit and with two; plus filling and draining of the pipeline.
    const Cycle shared = cycles_of(Operation::add, Type::u32, 16, "");
    const Cycle own = cycles_of(Operation::add, Type::u32, 16, "private_units = true\n");
    CHECK(shared >= 256);
    CHECK(shared < 256 + 16);
    CHECK(own >= 128);
    CHECK(own < 128 + 16);
    // One warp belongs to one scheduler: the other scheduler's unit does not help.
    CHECK(cycles_of(Operation::add, Type::u32, 1, "private_units = true\n") ==
          cycles_of(Operation::add, Type::u32, 1, ""));
}

TEST_CASE("a scheduler issues an instruction every sm.issue_interval cycles, of whichever unit") {
    // One warp's eight operations and its exit.
    PlainSmHarness harness({independent_chain(Operation::add, Type::u32, 8)},
                           "[sm]\ninstruction_buffer = 8\nissue_interval = 3\n");
    harness.launch({.block = {32, 1, 1}});
    CHECK(differences(harness.issue_cycles(8)) == std::vector<Cycle>(7, 3));
    PlainSmHarness once({independent_chain(Operation::add, Type::u32, 8)},
                        "[sm]\ninstruction_buffer = 8\nissue_interval = 1\n");
    once.launch({.block = {32, 1, 1}});
    CHECK(differences(once.issue_cycles(8)) == std::vector<Cycle>(7, 1));
    CHECK(harness.sm().scheduler_counters()[0][gpu::SchedulerCycle::slot_held] >= 14);
    CHECK(once.sm().scheduler_counters()[0][gpu::SchedulerCycle::slot_held] == 0);
}

TEST_CASE("integer units take integer operations off the SP units, and no others") {
    const std::string mixed = "integer_units = 2\n";
    CHECK(cycles_of(Operation::add, Type::u32, 16, mixed) < 128 + 16);
    CHECK(cycles_of(Operation::add, Type::f32, 16, mixed) >= 256);
    CHECK(unit_of(gpu::InstructionClass::integer_mad, true) == gpu::ExecutionUnit::integer);
    CHECK(unit_of(gpu::InstructionClass::integer_divide, true) == gpu::ExecutionUnit::sfu);
    CHECK(unit_of(gpu::InstructionClass::fp32_fma, true) == gpu::ExecutionUnit::sp);
}

TEST_CASE("a scheduler's own units and shared operand collectors are refused together") {
    CHECK_THROWS_WITH_AS(SmHarness({independent_chain(Operation::add, Type::u32, 1)}, "[sm]\nprivate_units = true\n"),
                         doctest::Contains("operand_collectors"), ConfigurationError);
}

TEST_CASE("one warp of independent instructions is bound by its fetch") {
    // Two instructions per fetch of latency 2: three cycles for two instructions.
    CHECK(issue_cycles(independent_chain(Operation::add, Type::u32, 8), 8) ==
          std::vector<Cycle>{12, 13, 15, 16, 18, 19, 21, 22});
}

TEST_CASE("a fetch takes fetch_latency cycles, and a larger buffer needs fewer fetches") {
    const isa::Kernel kernel = independent_chain(Operation::add, Type::u32, 4);
    CHECK(issue_cycles(kernel, 4, "fetch_latency = 5\n") == std::vector<Cycle>{15, 16, 21, 22});
    CHECK(issue_cycles(kernel, 4, "instruction_buffer = 4\n") == std::vector<Cycle>{12, 13, 14, 15});
}

TEST_CASE("one fetch a cycle serves the warps in turn") {
    PlainSmHarness harness({independent_chain(Operation::add, Type::u32, 1)});
    harness.launch({.block = {128, 1, 1}});
    CHECK(harness.issue_cycles(8) == std::vector<Cycle>{12, 13, 13, 14, 14, 15, 15, 16});
    CHECK(harness.counters().fetches == 4);
}

TEST_CASE(
    "with a fetch of their own two schedulers' warps are fetched for in one cycle, two of one scheduler's are not") {
    PlainSmHarness harness({independent_chain(Operation::add, Type::u32, 1)}, "[sm]\nprivate_fetch = true\n");
    harness.launch({.block = {96, 1, 1}});
    harness.run_until(11);
    CHECK(harness.counters().fetches == 2);  // warps 0 and 1
    harness.run_until(12);
    CHECK(harness.counters().fetches == 3);  // warp 2 came after warp 0
    CHECK(issue_cycles(independent_chain(Operation::add, Type::u32, 1), 8, "private_fetch = true\n", 128) ==
          std::vector<Cycle>{12, 12, 13, 13, 14, 14, 15, 15});
}

TEST_CASE("a scheduler that is alone has the SM's one fetch a cycle, its own or not") {
    for (const char* own : {"true", "false"}) {
        PlainSmHarness harness({independent_chain(Operation::add, Type::u32, 1)},
                               std::string("[sm]\nschedulers = 1\nprivate_fetch = ") + own + "\n");
        harness.launch({.block = {96, 1, 1}});
        harness.run_until(11);
        CHECK(harness.counters().fetches == 1);
        harness.run_until(12);
        CHECK(harness.counters().fetches == 2);
    }
}

TEST_CASE("a write after a write waits as a read does") {
    KernelBuilder k("waw", {});
    const auto x = k.reg();
    const auto one = k.literal(1);
    k.op(Operation::div, Type::u32, x, {one, one});
    k.op(Operation::mov, Type::u32, x, {one});
    CHECK(issue_cycles(k.finish(), 2) == std::vector<Cycle>{12, 12 + 145});
}

TEST_CASE("a predicate holds its guarded instruction back until it is written") {
    KernelBuilder k("guard", {});
    const auto x = k.reg();
    const auto p = k.predicate();
    k.setp(isa::Comparison::eq, Type::u32, p, k.launch(isa::LaunchRow::zero), k.literal(0));
    k.guard(p);
    k.op(Operation::mov, Type::u32, x, {k.literal(1)});
    k.unguard();
    CHECK(issue_cycles(k.finish(), 2) == std::vector<Cycle>{12, 16});
}

TEST_CASE("a branch that is taken fetches its target after branch_latency and fetch_latency") {
    KernelBuilder k("jump", {});
    const auto target = k.label();
    k.branch(target);
    k.op(Operation::nop, Type::none, {}, {});
    k.bind(target);
    for (const Cycle latency : {1, 4, 9}) {
        PlainSmHarness harness({k.finish()}, "[sm]\nbranch_latency = " + std::to_string(latency) + "\n");
        harness.launch({.block = {32, 1, 1}});
        CHECK(harness.issue_cycles(2) == std::vector<Cycle>{12, 12 + latency + 2});
        CHECK(harness.counters().flushes == 1);
    }
}

TEST_CASE("a branch that is not taken goes on from the buffer after branch_latency") {
    KernelBuilder k("through", {});
    const auto target = k.label();
    const auto p = k.predicate();
    k.setp(isa::Comparison::ne, Type::u32, p, k.launch(isa::LaunchRow::zero), k.literal(0));
    k.op(Operation::nop, Type::none, {}, {});
    k.branch_if(p, target);
    k.op(Operation::nop, Type::none, {}, {});
    k.bind(target);
    PlainSmHarness harness({k.finish()});
    harness.launch({.block = {32, 1, 1}});
    CHECK(harness.issue_cycles(4) == std::vector<Cycle>{12, 13, 16, 20});
    CHECK(harness.counters().flushes == 0);
}

TEST_CASE("what needs a loaded value issues in the cycle after the load has completed") {
    KernelBuilder k("load", {8, 8});
    const auto x = k.reg();
    k.load(isa::Space::global, Type::u32, x, k.parameter(0));
    k.op(Operation::add, Type::u32, x, {x, x});
    PlainSmHarness harness({k.finish()}, "", {.global_latency = 50});
    harness.launch({.block = {32, 1, 1}, .parameters = global_parameters()});
    CHECK(harness.issue_cycles(2) == std::vector<Cycle>{12, 12 + 50 + 1});
    CHECK(harness.sm().scheduler_counters()[0][gpu::SchedulerCycle::memory_wait] == 50);
}

TEST_CASE("the load/store unit takes one instruction a cycle and holds the schedulers back when it is full") {
    KernelBuilder k("loads", {8, 8});
    const auto x = k.reg();
    k.load(isa::Space::global, Type::u32, x, k.parameter(0));
    PlainSmHarness harness({k.finish()}, "", {.global_latency = 50, .capacity = 2});
    harness.launch({.block = {32 * 4, 1, 1}, .parameters = global_parameters()});
    // Two loads fill the unit; the first completes in cycle 62, so that a third is accepted in cycle 63.
    CHECK(harness.issue_cycles(7) == std::vector<Cycle>{12, 13, 13, 14, 63, 64, 64});
    CHECK(harness.sm().scheduler_counters()[0][gpu::SchedulerCycle::memory_unit_full] > 40);
}

TEST_CASE("the clock register tells the cycle of its issue") {
    KernelBuilder k("clock", {8, 8});
    const auto a = k.reg(), b = k.reg();
    k.special(a, isa::SpecialRegister::clock);
    k.special(b, isa::SpecialRegister::clock);
    k.store(isa::Space::global, Type::u32, k.parameter(0), a);
    k.store(isa::Space::global, Type::u32, k.parameter(0), b, 4);
    PlainSmHarness harness({k.finish()});
    harness.run_to_end({.block = {32, 1, 1}, .parameters = global_parameters()});
    CHECK(harness.memory().global_word(0) == 12);
    CHECK(harness.memory().global_word(4) == 13);
}

TEST_CASE("schedulers that share a unit are granted it in turn") {
    // A warp takes the one SFU for 8 cycles: asking the schedulers in turn by cycle would always ask the same one
    // first.
    PlainSmHarness harness({independent_chain(Operation::div, Type::u32, 10)});
    harness.launch({.block = {64, 1, 1}});
    const Cycle first = harness.issue_cycles(1).front();
    harness.run_until(first + 10 * 8 - 1);
    const auto issued = [&](unsigned scheduler) {
        return harness.sm().scheduler_counters()[scheduler][gpu::SchedulerCycle::issued];
    };
    CHECK(issued(0) == 5);
    CHECK(issued(1) == 5);
}

TEST_CASE("operand collection adds six cycles to the latency of a dependent instruction") {
    for (const OperationTiming& timing : kTimings) {
        CAPTURE(timing.name);
        SmHarness harness({dependent_chain(timing.operation, timing.type, 6)});
        harness.launch({.block = {32, 1, 1}});
        const std::vector<Cycle> cycles = harness.issue_cycles(6);
        CHECK(differences(cycles) == std::vector<Cycle>(5, timing.latency + 6));
    }
}

TEST_CASE("a load's operands are collected before the load/store unit performs it") {
    KernelBuilder k("load", {8, 8});
    const auto x = k.reg(), address = k.reg64();
    k.op(Operation::mov, Type::b64, address, {k.parameter(0)});
    k.load(isa::Space::global, Type::u32, x, address);
    k.op(Operation::add, Type::u32, x, {x, x});
    SmHarness harness({k.finish()}, "", {.global_latency = 50});
    harness.launch({.block = {32, 1, 1}, .parameters = global_parameters()});
    // Two banks give the address's words in one cycle; the unit performs the load five cycles after its issue.
    const std::vector<Cycle> cycles = harness.issue_cycles(3);
    CHECK(cycles[2] - cycles[1] == 5 + 50 + 1);
}

/// A vector memory instruction on words of global memory.
isa::Kernel vector_kernel(Operation operation, std::uint8_t length) {
    KernelBuilder k("vector", {8, 8});
    const auto words = k.registers(length), indices = k.registers(length);
    const auto pattern = isa::is_strided(operation) ? KernelBuilder::word(indices, 1) : indices;
    isa::Instruction& access = isa::is_load(operation)
                                   ? k.op(operation, Type::b32, words, {k.parameter(1), pattern})
                                   : k.op(operation, Type::b32, {}, {k.parameter(0), words, pattern});
    access.space = isa::Space::global;
    access.vector = length;
    return k.finish();
}

// Crago, Stephenson and Keckler, TACO 2018, section 4.3.
TEST_CASE("a vector memory instruction holds its issue slot while its operands are staged") {
    const std::pair<Operation, std::array<unsigned, 3>> table[] = {{Operation::load_stride, {1, 1, 1}},
                                                                   {Operation::store_stride, {2, 3, 5}},
                                                                   {Operation::load_indirect, {2, 3, 5}},
                                                                   {Operation::store_indirect, {3, 5, 9}}};
    for (const auto& [operation, cycles] : table) {
        for (unsigned i = 0; i < 3; ++i) {
            const auto length = static_cast<std::uint8_t>(4u << i);
            CAPTURE(static_cast<int>(operation));
            CAPTURE(static_cast<int>(length));
            SmHarness harness({vector_kernel(operation, length)});
            harness.run_to_end({.block = {32, 1, 1}, .parameters = global_parameters()});
            CHECK(harness.charged(gpu::SchedulerCycle::slot_held) == cycles[i] - 1);
        }
    }
}

}  // namespace
}  // namespace lookahead::test
