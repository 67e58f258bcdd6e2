#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "components/sm/pipeline/hazards.h"
#include "components/sm/pipeline/register_ports.h"
#include "core/error/error.h"
#include "tests/components/sm/kernels.h"
#include "tests/components/sm/print_cycles.h"
#include "tests/components/sm/sm_harness.h"
#include "tests/core/error/error_of.h"

namespace lookahead::test {
namespace {

using isa::IssueControl;

const std::string kKeys = "[sm]\ndependences = \"control_words\"\noperand_collectors = false\ninstruction_buffer = 8\n";
constexpr unsigned kAllBarriers = 0x3f;

/// The kernel as native code, one machine instruction each, with control words that stall for a cycle.
isa::Kernel native(isa::Kernel kernel) {
    kernel.entries.resize(kernel.code.size());
    std::iota(kernel.entries.begin(), kernel.entries.end(), 0u);
    kernel.controls.assign(kernel.code.size(), {.stall = 1});
    return kernel;
}

/// Cycles from each instruction's issue to the next one's.
std::vector<Cycle> distances(const isa::Kernel& kernel, const std::string& more_keys = "", FakeMemory memory = {}) {
    SmHarness harness({kernel}, kKeys + more_keys, memory);
    std::vector<std::uint32_t> parameters = global_parameters();
    parameters.resize(kernel.parameter_rows());
    harness.launch({.block = {32, 1, 1}, .parameters = parameters});
    const std::vector<Cycle> cycles = harness.issue_cycles(kernel.code.size());
    std::vector<Cycle> result;
    for (std::size_t i = 1; i < cycles.size(); ++i) { result.push_back(cycles[i] - cycles[i - 1]); }
    return result;
}

/// A load of a word, then one of another, then two moves and an exit.
isa::Kernel two_loads() {
    KernelBuilder k("two_loads", {8});
    const auto a = k.reg(), b = k.reg(), c = k.reg();
    k.load(isa::Space::global, Type::u32, a, k.parameter(0));
    k.load(isa::Space::global, Type::u32, b, k.parameter(0));
    k.op(Operation::mov, Type::b32, c, {k.literal(1)});
    k.op(Operation::mov, Type::b32, c, {k.literal(2)});
    return native(k.finish());
}

TEST_CASE("a warp's next instruction issues after the stall count, whatever the latencies") {
    isa::Kernel kernel = native(dependent_chain(Operation::add, Type::u32, 6));
    const std::uint8_t stalls[] = {1, 3, 15, 0, 2};
    for (std::size_t i = 0; i < std::size(stalls); ++i) { kernel.controls[i].stall = stalls[i]; }
    CHECK(distances(kernel) == std::vector<Cycle>{1, 3, 15, 1, 2, 1});
}

TEST_CASE("an instruction that yields keeps its warp from the next cycle alone") {
    isa::Kernel kernel = native(independent_chain(Operation::add, Type::u32, 4));
    kernel.controls[0] = {.stall = 1, .yields = true};
    kernel.controls[1] = {.stall = 4, .yields = true};
    CHECK(distances(kernel) == std::vector<Cycle>{2, 4, 1, 1});
}

TEST_CASE("other warps issue while one stalls") {
    isa::Kernel kernel = native(independent_chain(Operation::add, Type::u32, 8));
    for (IssueControl& control : kernel.controls) { control.stall = 8; }
    const auto cycles = [&](unsigned warps) {
        SmHarness harness({kernel}, kKeys);
        harness.run_to_end({.block = {32 * warps, 1, 1}});
        return harness.counters().active_cycles;
    };
    CHECK(cycles(4) < cycles(1) + 8);
}

TEST_CASE("an instruction waits for the dependence counters that its control word names, and for no others") {
    isa::Kernel kernel = two_loads();
    kernel.controls[0].write_barrier = 2;
    kernel.controls[1].write_barrier = 4;
    CHECK(distances(kernel) == std::vector<Cycle>{1, 1, 1, 1});
    kernel.controls[3].waits = 1 << 2;
    CHECK(distances(kernel) == std::vector<Cycle>{1, 1, 99, 1});
    kernel.controls[3].waits = kAllBarriers & ~(1 << 2);
    CHECK(distances(kernel) == std::vector<Cycle>{1, 1, 100, 1});
    kernel.controls[3].waits = kAllBarriers & ~(1 << 2) & ~(1 << 4);
    CHECK(distances(kernel) == std::vector<Cycle>{1, 1, 1, 1});
}

TEST_CASE("a dependence counter is 0 again when all instructions that it counts have ended") {
    isa::Kernel kernel = two_loads();
    kernel.controls[0] = {.stall = 7, .write_barrier = 3};
    kernel.controls[1].write_barrier = 3;
    kernel.controls[2].waits = 1 << 3;
    CHECK(distances(kernel) == std::vector<Cycle>{7, 101, 1, 1});
}

TEST_CASE("a read barrier is free again when the operands have been read") {
    const std::string keys =
        "[sm.timing]\noperand_read_latency = 20\nglobal_read_latency = 30\nstore_read_latency = 5\n"
        "store_word_read_latency = 3\n";
    const auto wait_after = [&](auto emit) {
        KernelBuilder k("reads", {8});
        const auto a = k.reg(), b = k.reg64();
        k.op(Operation::mov, Type::b64, b, {k.literal64(0)});
        emit(k, a, b);
        k.op(Operation::mov, Type::b32, k.word(b, 0), {k.literal(1)});
        isa::Kernel kernel = native(k.finish());
        kernel.static_shared_bytes = 64;
        kernel.controls[1].read_barrier = 5;
        kernel.controls[2].waits = 1 << 5;
        return distances(kernel, keys)[1];
    };
    CHECK(wait_after([](auto& k, auto a, auto) { k.load(isa::Space::global, Type::u32, a, k.parameter(0)); }) == 30);
    CHECK(wait_after([](auto& k, auto a, auto b) { k.load(isa::Space::shared, Type::u32, a, k.word(b, 0)); }) == 20);
    CHECK(wait_after([](auto& k, auto a, auto) { k.store(isa::Space::global, Type::u32, k.parameter(0), a); }) == 35);
    CHECK(wait_after([](auto& k, auto, auto b) { k.store(isa::Space::global, Type::u64, k.parameter(0), b); }) == 38);
    CHECK(wait_after([](auto& k, auto a, auto b) { k.store(isa::Space::shared, Type::u32, k.word(b, 0), a); }) == 25);
}

TEST_CASE("a barrier's stall count passes while the warp waits at it") {
    KernelBuilder k("barrier", {});
    k.barrier();
    k.op(Operation::mov, Type::b32, k.reg(), {k.literal(1)});
    isa::Kernel kernel = native(k.finish());
    const Cycle alone = distances(kernel, "barrier_latency = 20\n")[0];
    kernel.controls[0].stall = 15;
    CHECK(distances(kernel, "barrier_latency = 20\n")[0] == alone);
}

TEST_CASE("the parts of one native instruction wait for each other by the scoreboard") {
    KernelBuilder k("parts", {8});
    const auto a = k.reg(), b = k.reg();
    k.load(isa::Space::global, Type::u32, a, k.parameter(0));
    k.op(Operation::add, Type::u32, b, {a, k.literal(1)});
    k.op(Operation::add, Type::u32, b, {b, k.literal(1)});
    isa::Kernel kernel = native(k.finish());
    kernel.controls[0].write_barrier = 0;
    CHECK(distances(kernel) == std::vector<Cycle>{1, 1, 1});
    kernel.entries = {0, 2, 3};
    CHECK(distances(kernel) == std::vector<Cycle>{101, 1, 1});
}

TEST_CASE("what loads without a write barrier write stays with the scoreboard") {
    KernelBuilder k("constants", {8});
    const auto a = k.reg(), b = k.reg();
    k.load(isa::Space::global, Type::u32, a, k.parameter(0));
    k.op(Operation::mov, Type::b32, b, {k.literal(1)});
    k.op(Operation::add, Type::u32, b, {a, k.literal(1)});
    CHECK(distances(native(k.finish())) == std::vector<Cycle>{1, 100, 1});
}

TEST_CASE("code without control words keeps the scoreboard") {
    isa::Kernel kernel = dependent_chain(Operation::add, Type::u32, 3);
    CHECK(distances(kernel) == std::vector<Cycle>{4, 4, 1});
}

TEST_CASE("control words go with neither collectors, result buses nor issue extensions") {
    const auto refusal = [](const std::string& keys) {
        return error_of<ConfigurationError>([&] {
            SmHarness harness({native(independent_chain(Operation::add, Type::u32, 1))},
                              "[sm]\ndependences = \"control_words\"\n" + keys);
        });
    };
    CHECK(refusal("operand_collectors = true\n").find("operand_collectors") != std::string::npos);
    CHECK(refusal("operand_collectors = false\nresult_buses = 1\n").find("result_buses") != std::string::npos);
    CHECK(refusal("operand_collectors = false\nissue_extension = \"pmode\"\n").find("issue_extension = pmode") !=
          std::string::npos);
    CHECK(error_of<ConfigurationError>([] { SmHarness({}, "[sm]\nregister_ports = true\n"); }).find("control_words") !=
          std::string::npos);
}

std::string hazard_of(const isa::Kernel& kernel) {
    return gpu::control_word_hazard(kernel, {}, {.control_words = true});
}

TEST_CASE("a stall that is a cycle too short for the latency is a hazard") {
    isa::Kernel kernel = native(dependent_chain(Operation::add, Type::u32, 2));
    kernel.controls[0].stall = 4;
    CHECK(hazard_of(kernel).empty());
    kernel.controls[0].stall = 3;
    CHECK(hazard_of(kernel) ==
          "address 0x10 needs register 0, which address 0x0 writes, and may issue 1 cycles too early for the latency "
          "of 4 cycles");
}

TEST_CASE("an operand in memory whose barrier is not waited for is a hazard") {
    KernelBuilder k("load", {8});
    const auto a = k.reg(), b = k.reg();
    k.load(isa::Space::global, Type::u32, a, k.parameter(0));
    k.op(Operation::mov, Type::b32, b, {k.literal(1)});
    k.op(Operation::add, Type::u32, b, {a, k.literal(1)});
    isa::Kernel kernel = native(k.finish());
    kernel.controls[0].write_barrier = 1;
    kernel.controls[1].stall = 4;
    CHECK(hazard_of(kernel) ==
          "address 0x20 needs register 0, which address 0x0 writes, and does not wait for barrier 1, which counts it");
    kernel.controls[2].waits = 1 << 1;
    CHECK(hazard_of(kernel).empty());
}

TEST_CASE("hazards are found along branches") {
    KernelBuilder k("loop", {});
    const auto a = k.reg(), b = k.reg();
    const auto p = k.predicate();
    const auto top = k.here();
    k.op(Operation::add, Type::u32, b, {a, k.literal(1)});
    k.op(Operation::add, Type::u32, a, {k.literal(1), k.literal(1)});
    k.branch_if(p, top, k.label());
    isa::Kernel kernel = native(k.finish());
    kernel.controls[1].stall = 2;
    kernel.controls[2].stall = 1;
    CHECK(hazard_of(kernel).find("may issue 1 cycles too early") != std::string::npos);
    kernel.controls[2].stall = 2;
    CHECK(hazard_of(kernel).empty());
}

TEST_CASE("writes under a guard and reads under its complement are no hazard until the predicate changes") {
    for (const bool changed : {false, true}) {
        KernelBuilder k("guards", {});
        const auto a = k.reg(), b = k.reg();
        const auto p = k.predicate();
        k.guard(p);
        k.op(Operation::add, Type::u32, a, {k.literal(1), k.literal(1)});
        k.unguard();
        if (changed) { k.setp(isa::Comparison::lt, Type::u32, p, k.literal(1), k.literal(2)); }
        k.guard(p);
        k.op(Operation::add, Type::u32, b, {a, k.literal(1)}).guard_negated = true;
        k.unguard();
        isa::Kernel kernel = native(k.finish());
        if (changed) { kernel.controls[1].stall = 1; }
        CHECK(hazard_of(kernel).empty() == !changed);
    }
}

/// Cycles that instructions which issue one after another wait for their registers, by their registers.
std::vector<Cycle> waits_of(const std::vector<std::vector<unsigned>>& registers, std::vector<unsigned> reuse = {}) {
    gpu::RegisterPorts ports(2);
    std::vector<Cycle> waits;
    reuse.resize(registers.size(), 0);
    Cycle now = 100;
    for (std::size_t i = 0; i < registers.size(); ++i) {
        isa::Instruction instruction;
        for (std::size_t place = 0; place < registers[i].size(); ++place) {
            instruction.source[place] = {isa::Operand::Kind::reg, 1, static_cast<std::uint16_t>(registers[i][place])};
        }
        waits.push_back(ports.read(0, instruction, reuse[i], 64, now));
        now += 1 + waits.back();
    }
    return waits;
}

TEST_CASE("two instructions wait as on an RTX A6000 (Huerta et al., MICRO 2025, listing 1)") {
    CHECK(waits_of({{10, 12, 14}, {16, 19, 21}}) == std::vector<Cycle>{0, 0});
    CHECK(waits_of({{10, 12, 14}, {16, 18, 21}}) == std::vector<Cycle>{0, 1});
    CHECK(waits_of({{10, 12, 14}, {16, 18, 20}}) == std::vector<Cycle>{0, 2});
}

TEST_CASE("a stream of instructions is as fast as its fullest bank gives registers") {
    const auto per_instruction = [](const std::vector<unsigned>& registers) {
        const std::vector<Cycle> waits = waits_of(std::vector<std::vector<unsigned>>(50, registers));
        return 1 + static_cast<double>(std::accumulate(waits.begin(), waits.end(), Cycle{0})) / 50;
    };
    CHECK(per_instruction({2, 3}) == doctest::Approx(1));
    CHECK(per_instruction({2, 4}) == doctest::Approx(2).epsilon(0.05));
    CHECK(per_instruction({2, 4, 6}) == doctest::Approx(3).epsilon(0.05));
    CHECK(per_instruction({2, 3, 4}) == doctest::Approx(2).epsilon(0.05));
}

TEST_CASE("the operands' cache keeps what reuse bits leave, until the place is read again (listing 4)") {
    // Whether R2 is read from its bank by the third instruction shows in whether three further even registers wait.
    const auto third_reads = [](std::vector<std::vector<unsigned>> first, std::vector<unsigned> reuse) {
        gpu::RegisterPorts ports(2);
        Cycle now = 100;
        for (std::size_t i = 0; i < 3; ++i, now += 10) {
            isa::Instruction instruction;
            for (std::size_t place = 0; place < 3; ++place) {
                instruction.source[place] = {isa::Operand::Kind::reg, 1, static_cast<std::uint16_t>(first[i][place])};
            }
            ports.read(0, instruction, reuse[i], 64, now);
        }
        isa::Instruction probe;
        for (std::size_t place = 0; place < 3; ++place) {
            probe.source[place] = {isa::Operand::Kind::reg, 1, static_cast<std::uint16_t>(20 + 2 * place)};
        }
        return ports.read(0, probe, 0, 64, now - 9) == 1;
    };
    // Of the third instruction R2 and R12 are even: they take the bank for two cycles if R2 is read, for one if not.
    CHECK(third_reads({{2, 3, 4}, {2, 7, 8}, {2, 12, 13}}, {1, 0, 0}));
    CHECK_FALSE(third_reads({{2, 3, 4}, {2, 7, 8}, {2, 12, 13}}, {1, 1, 0}));
    CHECK_FALSE(third_reads({{2, 3, 4}, {7, 2, 8}, {2, 12, 13}}, {1, 0, 0}));
    CHECK(third_reads({{2, 3, 4}, {4, 7, 8}, {2, 12, 13}}, {1, 0, 0}));
}

}  // namespace
}  // namespace lookahead::test
