// Host time of an SM: warp instructions and active cycles per second. The budget is 30 ns per cycle and 250 ns per warp
// instruction; pure arithmetic should reach 5 million warp instructions per second.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "components/isa/instruction.h"
#include "tests/components/sm/kernels.h"
#include "tests/components/sm/sm_harness.h"

namespace lookahead::test {
namespace {

constexpr unsigned kPasses = 200;
constexpr Cycle kWindow = 2 * SmHarness::kLatency;

/// A loop of `body` instructions written by `emit`.
template <class F>
isa::Kernel loop_of(F&& emit) {
    KernelBuilder k("loop", {8, 8});
    const auto count = k.reg();
    const auto more = k.predicate();
    const auto done = k.label();
    const auto again = k.here();
    emit(k);
    k.op(Operation::add, Type::u32, count, {count, k.literal(1)});
    k.setp(isa::Comparison::lt, Type::u32, more, count, k.literal(kPasses));
    k.guard(more);
    k.branch(again, done);
    k.unguard();
    k.bind(done);
    k.exit();
    return k.finish();
}

isa::Kernel fp32_loop() {
    return loop_of([](KernelBuilder& k) {
        std::vector<isa::Operand> x;
        for (unsigned i = 0; i < 8; ++i) { x.push_back(k.reg()); }
        for (unsigned i = 0; i < 16; ++i) {
            k.op(Operation::fma, Type::f32, x[i % 8], {x[i % 8], x[(i + 1) % 8], k.literal_f32(1.5f)}).rounding =
                isa::Rounding::rn;
        }
    });
}

isa::Kernel integer_loop() {
    return loop_of([](KernelBuilder& k) {
        const auto a = k.reg(), b = k.reg(), c = k.reg();
        const auto wide = k.reg64();
        for (unsigned i = 0; i < 4; ++i) {
            k.op(Operation::add, Type::u32, a, {b, k.literal(7)});
            k.op(Operation::bit_xor, Type::b32, b, {a, c});
            k.op(Operation::shl, Type::b32, c, {a, k.literal(3)});
            k.op(Operation::add, Type::u64, wide, {wide, k.literal64(4)});
        }
    });
}

isa::Kernel load_loop() {
    return loop_of([](KernelBuilder& k) {
        const auto x = k.reg(), y = k.reg();
        k.load(isa::Space::global, Type::u32, x, k.parameter(0));
        k.op(Operation::add, Type::u32, y, {x, y});
    });
}

/// Argument: the number of SMs that run side by side, window by window, as in a machine on one rank.
void run(benchmark::State& state, const isa::Kernel& kernel) {
    double instructions = 0, cycles = 0;
    for (auto _ : state) {
        std::vector<std::unique_ptr<SmHarness>> sms;
        for (std::int64_t i = 0; i < state.range(0); ++i) {
            sms.push_back(std::make_unique<SmHarness>(isa::KernelTable{kernel}, "", FakeMemory{.global_latency = 400}));
            sms.back()->launch({.grid = {8, 1, 1}, .block = {192, 1, 1}, .parameters = global_parameters()});
        }
        while (!sms.back()->done()) {
            for (auto& sm : sms) { sm->run_until(sm->now() + kWindow); }
        }
        for (auto& sm : sms) {
            instructions += static_cast<double>(sm->counters().warp_instructions);
            cycles += static_cast<double>(sm->counters().active_cycles);
        }
    }
    state.counters["warp_instructions"] = benchmark::Counter(instructions, benchmark::Counter::kIsRate);
    state.counters["sm_cycles"] = benchmark::Counter(cycles, benchmark::Counter::kIsRate);
    state.counters["ipc"] = instructions / cycles;
}

BENCHMARK_CAPTURE(run, fp32_loop, fp32_loop())->Arg(1)->Arg(15)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, integer_loop, integer_loop())->Arg(1)->Arg(15)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, load_loop, load_loop())->Arg(1)->Arg(15)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lookahead::test

BENCHMARK_MAIN();
