#include <doctest/doctest.h>

#include "components/isa/instruction.h"
#include "tests/components/sm/kernels.h"
#include "tests/components/sm/print_cycles.h"
#include "tests/components/sm/sm_harness.h"

namespace lookahead::test {
namespace {

using gpu::SchedulerCycle;

/// out[i] = i even ? 2 * i : i + 100, by a divergent branch.
isa::Kernel divergent_kernel() {
    ThreadKernel k("divergent");
    const auto value = k.reg(), odd = k.reg();
    const auto p = k.predicate();
    const auto even = k.label(), join = k.label();
    k.op(Operation::bit_and, Type::b32, odd, {k.index, k.literal(1)});
    k.setp(isa::Comparison::eq, Type::u32, p, odd, k.literal(0));
    k.branch_if(p, even, join);
    k.op(Operation::add, Type::u32, value, {k.index, k.literal(100)});
    k.branch(join, join);
    k.bind(even);
    k.op(Operation::add, Type::u32, value, {k.index, k.index});
    k.bind(join);
    return k.finish_with(value);
}

TEST_CASE("lanes that diverge take both paths and join for the store") {
    PlainSmHarness harness({divergent_kernel()});
    harness.run_to_end({.block = {64, 1, 1}, .parameters = global_parameters()});
    for (unsigned i = 0; i < 64; ++i) { CHECK(harness.memory().global_word(4 * i) == (i % 2 == 0 ? 2 * i : i + 100)); }
    CHECK(harness.counters().divergent_branches == 2);
    // Both warps: 7 before the paths (the branch included), 2 on the odd, 1 on the even, 2 after the join.
    CHECK(harness.counters().warp_instructions == 2 * 12);
    // The lanes that take the guarded branch count.
    CHECK(harness.counters().thread_instructions == 2 * (6 * 32 + 16 + 2 * 16 + 16 + 2 * 32));
}

TEST_CASE("a partial warp runs with its threads only") {
    PlainSmHarness harness({add_index()});
    harness.fill_input(64, [](unsigned) { return 7u; });
    harness.memory().fill_global_words(0, 64, [](unsigned) { return 0xdeadu; });
    harness.run_to_end({.block = {37, 1, 1}, .parameters = global_parameters()});
    CHECK(harness.memory().global_word(4 * 36) == 36 + 7);
    CHECK(harness.memory().global_word(4 * 37) == 0xdead);
    CHECK(harness.counters().thread_instructions == 37 * 9);
}

TEST_CASE("lanes that exit early leave the others running") {
    ThreadKernel k("exits");
    const auto p = k.predicate();
    k.setp(isa::Comparison::ge, Type::u32, p, k.index, k.literal(5));
    k.guard(p);
    k.exit();
    k.unguard();
    PlainSmHarness harness({k.finish_with(k.literal(9))});
    harness.run_to_end({.block = {64, 1, 1}, .parameters = global_parameters()});
    CHECK(harness.memory().global_word(4 * 4) == 9);
    CHECK(harness.memory().global_word(4 * 5) == 0);
    CHECK(harness.counters().by_class[static_cast<unsigned>(gpu::InstructionClass::exit)] == 3);
}

TEST_CASE("a predicate that an instruction both reads as its third source and writes has the new value then") {
    ThreadKernel k("inverts");
    const auto odd = k.reg(), value = k.reg();
    const auto p = k.predicate();
    k.op(Operation::bit_and, Type::b32, odd, {k.index, k.literal(1)});
    k.setp(isa::Comparison::eq, Type::u32, p, odd, k.literal(0));
    auto& inverts = k.op(Operation::pred_lop3, Type::none, {}, {});
    inverts.destination_predicate = inverts.destination_predicate2 = p.index;
    inverts.source_predicate = inverts.source_predicate2 = isa::kTruePredicate;
    inverts.mode = 0x55;  // where the third source does not hold
    k.select(Type::u32, value, k.literal(1), k.literal(2), p);
    PlainSmHarness harness({k.finish_with(value)});
    harness.run_to_end({.block = {64, 1, 1}, .parameters = global_parameters()});
    for (unsigned i = 0; i < 64; ++i) { CHECK(harness.memory().global_word(4 * i) == (i % 2 == 0 ? 2 : 1)); }
}

/// Warp 0 waits for a load before a barrier; the others arrive at once. After the barrier each reads the clock.
isa::Kernel barrier_kernel() {
    ThreadKernel k("barrier");
    const auto value = k.reg(), clock = k.reg();
    const auto p = k.predicate();
    const auto join = k.label();
    k.setp(isa::Comparison::ge, Type::u32, p, k.index, k.literal(32));
    k.branch_if(p, join, join);
    k.load(isa::Space::global, Type::u32, value, k.parameter(1));
    k.op(Operation::add, Type::u32, value, {value, value});
    k.op(Operation::add, Type::u32, value, {value, value});
    k.bind(join);
    k.barrier();
    k.special(clock, isa::SpecialRegister::clock);
    return k.finish_with(clock);
}

TEST_CASE("no warp passes a barrier before the last has arrived, and all pass it then") {
    PlainSmHarness harness({barrier_kernel()}, "[sm]\nbarrier_latency = 7\n", {.global_latency = 500});
    harness.run_to_end({.block = {128, 1, 1}, .parameters = global_parameters()});
    std::uint32_t first = ~0u, last = 0;
    for (unsigned warp = 0; warp < 4; ++warp) {
        first = std::min(first, harness.memory().global_word(4 * 32 * warp));
        last = std::max(last, harness.memory().global_word(4 * 32 * warp));
    }
    CHECK(first > 512 + 7);
    // Each may first have to be fetched, one per cycle, and let another warp of its scheduler go first.
    CHECK(last - first <= 4 + 2);
    CHECK(harness.counters().barriers == 1);
    CHECK(harness.sm().scheduler_counters()[1][SchedulerCycle::barrier] > 400);
}

TEST_CASE("barrier_latency lies between the last arrival and the next issue") {
    KernelBuilder k("two", {});
    k.barrier();
    for (const Cycle latency : {1, 6}) {
        PlainSmHarness harness({k.finish()}, "[sm]\nbarrier_latency = " + std::to_string(latency) + "\n");
        harness.launch({.block = {64, 1, 1}});
        CHECK(harness.issue_cycles(4) == std::vector<Cycle>{12, 13, 13 + latency, 13 + latency});
    }
}

TEST_CASE("with barrier_interval warps arrive at a barrier one after another") {
    KernelBuilder k("two", {});
    k.barrier();
    PlainSmHarness harness({k.finish()}, "[sm]\nbarrier_interval = 5\n");
    harness.launch({.block = {64, 1, 1}});
    // The second warp arrives five cycles after the first has, and the latency is 1.
    CHECK(harness.issue_cycles(4) == std::vector<Cycle>{12, 13, 12 + 5 + 5 + 1, 12 + 5 + 5 + 1});
}

TEST_CASE("a warp that has exited counts as arrived") {
    ThreadKernel k("some_exit");
    const auto p = k.predicate();
    k.setp(isa::Comparison::ge, Type::u32, p, k.index, k.literal(64));
    k.guard(p);
    k.exit();
    k.unguard();
    k.barrier();
    PlainSmHarness harness({k.finish_with(k.literal(1))});
    harness.run_to_end({.block = {96, 1, 1}, .parameters = global_parameters()});
    CHECK(harness.memory().global_word(4 * 63) == 1);
}

TEST_CASE("CTAs wait at barriers of their own") {
    PlainSmHarness harness({barrier_kernel()});
    harness.run_to_end({.grid = {12, 1, 1}, .block = {96, 1, 1}, .parameters = global_parameters()});
    CHECK(harness.counters().barriers == 12);
}

TEST_CASE("warps at different barriers are a deadlock that names kernel, CTA, warp, PC and line") {
    ThreadKernel k("split");
    const auto p = k.predicate();
    const auto join = k.label();
    k.setp(isa::Comparison::ge, Type::u32, p, k.index, k.literal(32));
    k.branch_if(p, join, join);
    k.barrier(1);
    k.bind(join);
    k.barrier(2);
    PlainSmHarness harness({k.finish()});
    harness.launch({.block = {64, 1, 1}, .parameters = global_parameters()});
    CHECK_FALSE(harness.run(5000));
    CHECK(harness.sm().next_event_time() == kTimeInfinity);
    CHECK_FALSE(harness.sm().finished());
    CHECK(harness.sm().waiting_for() ==
          "kernel split, CTA (0, 0, 0), warp 0, PC 0x30, split.ptx:7: waits at barrier 1, at which 1 of 2 warps have "
          "arrived; "
          "kernel split, CTA (0, 0, 0), warp 1, PC 0x38, split.ptx:8: waits at barrier 2, at which 1 of 2 warps have "
          "arrived");
}

TEST_CASE("a barrier in divergent code is a deadlock that names the lanes") {
    ThreadKernel k("diverged");
    const auto p = k.predicate();
    const auto join = k.label();
    k.setp(isa::Comparison::ge, Type::u32, p, k.index, k.literal(8));
    k.branch_if(p, join, join);
    k.barrier();
    k.bind(join);
    PlainSmHarness harness({k.finish()});
    harness.launch({.block = {32, 1, 1}, .parameters = global_parameters()});
    CHECK_FALSE(harness.run(5000));
    CHECK(harness.sm().waiting_for() ==
          "kernel diverged, CTA (0, 0, 0), warp 0, PC 0x30, diverged.ptx:7: waits at barrier 0 with only "
          "lanes 0x000000ff; lanes 0xffffff00 took another path, and on a reconvergence stack they cannot come "
          "(sm.simt=convergence_barrier lets them)");
}

TEST_CASE("a fence holds its warp until it completes") {
    KernelBuilder k("fence", {});
    k.op(Operation::membar, Type::none, {}, {});
    PlainSmHarness harness({k.finish()}, "", {.fence_latency = 33});
    harness.launch({.block = {32, 1, 1}});
    CHECK(harness.issue_cycles(2) == std::vector<Cycle>{12, 12 + 33 + 1});
    CHECK(harness.sm().scheduler_counters()[0][SchedulerCycle::fence] == 33);
}

TEST_CASE("an access that the program may not make is told with SM, cycle, kernel, CTA, warp, PC and line") {
    KernelBuilder k("wild", {8, 8});
    const auto x = k.reg();
    k.load(isa::Space::global, Type::u32, x, k.parameter(0), -4);
    PlainSmHarness harness({k.finish()});
    harness.launch({.block = {32, 1, 1}, .parameters = global_parameters()});
    CHECK_THROWS_WITH_AS(
        harness.run(),
        "sm3, cycle 12 (17142857 fs): kernel wild, CTA (0, 0, 0), warp 0, PC 0x0, wild.ptx:1: lane 0 accesses an "
        "address that is not allocated",
        ProgramError);
}

TEST_CASE("a trap is an error of the program") {
    KernelBuilder k("trapped", {});
    k.op(Operation::nop, Type::none, {}, {});
    k.op(Operation::trap, Type::none, {}, {});
    PlainSmHarness harness({k.finish()});
    harness.launch({.block = {32, 1, 1}});
    CHECK_THROWS_WITH_AS(harness.run(), doctest::Contains("PC 0x8, trapped.ptx:2: trap"), ProgramError);
}

TEST_CASE("special registers tell where a warp runs") {
    ThreadKernel k("where");
    const auto a = k.reg(), b = k.reg();
    k.special(a, isa::SpecialRegister::smid);
    k.special(b, isa::SpecialRegister::ctaid_y);
    k.op(Operation::mad_lo, Type::u32, a, {b, k.literal(1000), a});
    PlainSmHarness harness({k.finish_with(a)});
    harness.run_to_end({.grid = {1, 3, 1}, .block = {32, 1, 1}, .parameters = global_parameters()});
    CHECK(harness.memory().global_word(0) == 2003);
}

}  // namespace
}  // namespace lookahead::test
