#include <benchmark/benchmark.h>

#include <vector>

#include "components/emulator/emulated_device.h"
#include "components/isa/handlers.h"
#include "components/isa/instruction.h"
#include "components/isa/launch.h"
#include "tests/support/sample_kernels.h"

// The emulator's speed on hand-written versions of three kernels, in warp instructions per second, and the time of
// single handlers.
namespace lookahead {
namespace {

void count_instructions(benchmark::State& state, const EmulatedDevice& device) {
    state.counters["warp_instructions/s"] =
        benchmark::Counter(static_cast<double>(device.counts().total.warps), benchmark::Counter::kIsRate);
}

void sgemm(benchmark::State& state) {
    EmulatedDevice device({test::sgemm_kernel()});
    const auto n = static_cast<std::uint32_t>(state.range(0));
    const DeviceAddress matrix = device.upload(std::vector<float>(n * n, 0.5f)), result = device.allocate(n * n * 4);
    for (auto _ : state) {
        device.launch("sgemm", {{n / 16, n / 16, 1}, {16, 16, 1}}, pack_parameters(matrix, matrix, result, n));
    }
    count_instructions(state, device);
}
BENCHMARK(sgemm)->Arg(128)->Arg(256)->Unit(benchmark::kMillisecond);

void vecadd(benchmark::State& state) {
    EmulatedDevice device({test::vecadd_kernel()});
    const auto n = static_cast<std::uint32_t>(state.range(0));
    const DeviceAddress a = device.upload(std::vector<float>(n, 0.5f)), b = device.upload(std::vector<float>(n, 2.0f));
    for (auto _ : state) { device.launch("vecadd", {{n / 256, 1, 1}, {256, 1, 1}}, pack_parameters(a, b, a, n)); }
    count_instructions(state, device);
}
BENCHMARK(vecadd)->Arg(1 << 18)->Unit(benchmark::kMillisecond);

void histogram(benchmark::State& state) {
    EmulatedDevice device({test::histogram_kernel()});
    const auto n = static_cast<std::uint32_t>(state.range(0));
    std::vector<std::uint32_t> values(n);
    for (std::uint32_t i = 0; i < n; ++i) { values[i] = i * 0x9e3779b9u >> 7; }
    const DeviceAddress in = device.upload(values), bins = device.upload(std::vector<std::uint32_t>(256));
    for (auto _ : state) { device.launch("histogram", {{60, 1, 1}, {256, 1, 1}}, pack_parameters(in, bins, n)); }
    count_instructions(state, device);
}
BENCHMARK(histogram)->Arg(1 << 17)->Unit(benchmark::kMillisecond);

void handler(benchmark::State& state, isa::Operation operation, isa::Type type, isa::Rounding rounding,
             isa::LaneMask active) {
    isa::Instruction instruction;
    instruction.operation = operation;
    instruction.type = type;
    instruction.source_type = isa::Type::s32;
    instruction.rounding = rounding;
    instruction.comparison = isa::Comparison::lt;
    std::vector<isa::Row> registers(8);
    for (std::uint32_t i = 0; i < 8; ++i) {
        for (std::uint32_t lane = 0; lane < isa::kWarpSize; ++lane) {
            registers[i].lanes[lane] = 0x3f800000 + i * 99 + lane;
        }
    }
    isa::OperandRows rows{};
    for (unsigned i = 0; i < 2; ++i) {
        rows.destination[i] = registers[i].lanes;
        for (unsigned s = 0; s < 3; ++s) { rows.source[s][i] = registers[2 + s * 2 + i].lanes; }
    }
    const isa::AluHandler run = isa::select_handler(instruction);
    for (auto _ : state) {
        run(rows, active, instruction);
        benchmark::ClobberMemory();
    }
}
constexpr isa::LaneMask kHalf = 0x0000ffff;
using isa::Operation, isa::Type, isa::Rounding;
BENCHMARK_CAPTURE(handler, add_s32, Operation::add, Type::s32, Rounding::none, isa::kFullMask);
BENCHMARK_CAPTURE(handler, add_s32_partial, Operation::add, Type::s32, Rounding::none, kHalf);
BENCHMARK_CAPTURE(handler, add_s64, Operation::add, Type::s64, Rounding::none, isa::kFullMask);
BENCHMARK_CAPTURE(handler, mul_wide_s32, Operation::mul_wide, Type::s64, Rounding::none, isa::kFullMask);
BENCHMARK_CAPTURE(handler, mad_lo_s32, Operation::mad_lo, Type::s32, Rounding::none, isa::kFullMask);
BENCHMARK_CAPTURE(handler, div_u32, Operation::div, Type::u32, Rounding::none, isa::kFullMask);
BENCHMARK_CAPTURE(handler, div_s32, Operation::div, Type::s32, Rounding::none, isa::kFullMask);
BENCHMARK_CAPTURE(handler, setp_lt_s32, Operation::setp, Type::s32, Rounding::none, isa::kFullMask);
BENCHMARK_CAPTURE(handler, lop3, Operation::lop3, Type::b32, Rounding::none, isa::kFullMask);
BENCHMARK_CAPTURE(handler, fma_f32, Operation::fma, Type::f32, Rounding::rn, isa::kFullMask);
BENCHMARK_CAPTURE(handler, fma_f32_rz, Operation::fma, Type::f32, Rounding::rz, isa::kFullMask);
BENCHMARK_CAPTURE(handler, fma_f64, Operation::fma, Type::f64, Rounding::rn, isa::kFullMask);
BENCHMARK_CAPTURE(handler, min_f32, Operation::min, Type::f32, Rounding::none, isa::kFullMask);
BENCHMARK_CAPTURE(handler, div_f32_rn, Operation::div, Type::f32, Rounding::rn, isa::kFullMask);
BENCHMARK_CAPTURE(handler, ex2_f32, Operation::ex2, Type::f32, Rounding::approx, isa::kFullMask);
BENCHMARK_CAPTURE(handler, lg2_f32, Operation::lg2, Type::f32, Rounding::approx, isa::kFullMask);
BENCHMARK_CAPTURE(handler, sin_f32, Operation::sin, Type::f32, Rounding::approx, isa::kFullMask);
BENCHMARK_CAPTURE(handler, convert_f32_s32, Operation::convert, Type::f32, Rounding::rn, isa::kFullMask);

}  // namespace
}  // namespace lookahead

BENCHMARK_MAIN();
