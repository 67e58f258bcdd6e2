// The names of P-mode's renaming registers, without an SM.
#include "components/mechanisms/pmode/register_pool.h"

#include <doctest/doctest.h>

#include <cstdint>

namespace lookahead::test {
namespace {

/// A warp whose register 3 is renamed; its own row is 3.
struct RenamedRegister {
    explicit RenamedRegister(bool queued) {
        state.warps.begin_launch(1, 8);
        pre.begin_launch(1, 8);
        state.warps.map.set_consecutive(0, 0);
        pre.map.set_consecutive(0, 0);
        pool.begin_launch(128, 15);
        row = renamed(queued);
    }
    /// Renames the register again in P-mode; the result is written at once.
    std::uint16_t renamed(bool queued) {
        const std::uint16_t to = pool.allocate(0, 3);
        pool.rename(0, 3, {&to, 1}, queued);
        pool.written({&to, 1});
        return to;
    }

    gpu::PipelineState state{{}, {}, isa::SimtModel::stack, {}};
    gpu::StreamSet pre{1};
    gpu::RegisterPool pool{state, pre, 0};
    gpu::PreExecution warp;
    std::uint16_t row;
};

TEST_CASE("a renaming register is free when P-mode renames its register again, unless a P-queue names it") {
    for (const bool queued : {false, true}) {
        CAPTURE(queued);
        RenamedRegister bench(queued);
        CHECK(bench.pre.map.of(0)[3] == bench.row);
        CHECK_FALSE(bench.pool.is_free(bench.row));
        bench.renamed(false);
        CHECK(bench.pool.is_free(bench.row) != queued);
        if (queued) { bench.pool.drop({.words = 1, .rows = {bench.row}}); }
        CHECK(bench.pool.is_free(bench.row));
    }
}

TEST_CASE("a reused register is the warp's until the warp writes it, and free when that instruction has its operands") {
    RenamedRegister bench(true);
    bench.renamed(false);
    bench.state.registers.row(bench.row)[31] = 42;
    bench.pool.reuse(0, bench.warp, {.words = 1, .rows = {bench.row}}, 3);
    CHECK(bench.state.warps.map.of(0)[3] == bench.row);
    CHECK(bench.warp.renamed == 1);
    isa::Instruction write;
    write.destination = 3;
    write.destination_rows = 1;
    bench.pool.return_home(0, bench.warp, write);
    CHECK(bench.state.warps.map.of(0)[3] == 3);
    CHECK(bench.state.registers.row(3)[31] == 42);
    CHECK(bench.warp.renamed == 0);
    CHECK_FALSE(bench.pool.is_free(bench.row));
    bench.pool.drop_replaced();
    CHECK(bench.pool.is_free(bench.row));
}

}  // namespace
}  // namespace lookahead::test
