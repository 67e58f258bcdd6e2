// A scheduler cycle without an issue has one cause: the first, in a fixed order, that applies to one of its warps.
#include <doctest/doctest.h>

#include <functional>

#include "components/isa/instruction.h"
#include "tests/components/sm/kernels.h"
#include "tests/components/sm/sm_harness.h"

namespace lookahead::test {
namespace {

using gpu::SchedulerCycle;
using Part = std::function<void(KernelBuilder&)>;

/// A kernel whose warp i runs parts[i].
isa::Kernel by_warp(const std::vector<Part>& parts) {
    KernelBuilder k("by_warp", {8, 8});
    k.shared_bytes(64);
    const auto tid = k.reg(), warp = k.reg();
    const auto here = k.predicate();
    k.special(tid, isa::SpecialRegister::tid_x);
    k.op(Operation::shr, Type::u32, warp, {tid, k.literal(5)});
    std::vector<KernelBuilder::Label> labels;
    const auto end = k.label();
    for (unsigned i = 0; i < parts.size(); ++i) {
        labels.push_back(k.label());
        k.setp(isa::Comparison::eq, Type::u32, here, warp, k.literal(i));
        k.branch_if(here, labels.back(), end);
    }
    for (unsigned i = 0; i < parts.size(); ++i) {
        k.bind(labels[i]);
        parts[i](k);
        k.branch(end, end);
    }
    k.bind(end);
    return k.finish();
}

const Part kWaitsForMemory = [](KernelBuilder& k) {
    const auto x = k.reg();
    k.load(isa::Space::global, Type::u32, x, k.parameter(1));
    k.op(Operation::add, Type::u32, x, {x, x});
};
const Part kWaitsForPipeline = [](KernelBuilder& k) {
    const auto x = k.reg();
    for (unsigned i = 0; i < 3; ++i) { k.op(Operation::div, Type::u32, x, {x, k.literal(3)}); }
};
const Part kWaitsForUnit = [](KernelBuilder& k) {
    for (unsigned i = 0; i < 20; ++i) { k.op(Operation::div, Type::u32, k.reg(), {k.literal(7), k.literal(3)}); }
};
const Part kWaitsForMemoryUnit = [](KernelBuilder& k) {
    for (unsigned i = 0; i < 8; ++i) { k.store(isa::Space::global, Type::u32, k.parameter(0), k.literal(1)); }
};
const Part kBranches = [](KernelBuilder& k) {
    for (unsigned i = 0; i < 60; ++i) {
        const auto next = k.label();
        k.branch(next, next);
        k.bind(next);
    }
};
const Part kBarrier = [](KernelBuilder& k) { k.barrier(); };
const Part kBranchesToBarrier = [](KernelBuilder& k) {
    kBranches(k);
    k.barrier();
};

gpu::SchedulerCounters causes(const std::vector<Part>& parts) {
    PlainSmHarness harness({by_warp(parts)}, "[sm]\nschedulers = 1\n", {.global_latency = 400, .capacity = 1});
    harness.run_to_end({.grid = {1, 1, 1},
                        .block = {static_cast<unsigned>(32 * parts.size()), 1, 1},
                        .parameters = global_parameters()});
    return harness.sm().scheduler_counters()[0];
}

TEST_CASE(
    "of two causes of a cycle the load/store unit goes before other units, these before memory, memory before "
    "pipelines, these before an empty buffer, and that before a barrier") {
    struct Pair {
        std::vector<Part> parts;
        SchedulerCycle charged, hidden;
    };
    for (const Pair& pair :
         {Pair{{kWaitsForMemoryUnit, kWaitsForUnit, kWaitsForUnit},
               SchedulerCycle::memory_unit_full,
               SchedulerCycle::unit_full},
          Pair{{kWaitsForUnit, kWaitsForUnit, kWaitsForMemory}, SchedulerCycle::unit_full, SchedulerCycle::count},
          Pair{{kWaitsForMemory, kWaitsForPipeline}, SchedulerCycle::memory_wait, SchedulerCycle::short_latency},
          Pair{{kWaitsForPipeline, kBranches}, SchedulerCycle::short_latency, SchedulerCycle::buffer_empty},
          Pair{{kBarrier, kBranchesToBarrier}, SchedulerCycle::buffer_empty, SchedulerCycle::barrier}}) {
        CAPTURE(static_cast<unsigned>(pair.charged));
        const gpu::SchedulerCounters counters = causes(pair.parts);
        CHECK(counters[pair.charged] > 100);
        if (pair.hidden != SchedulerCycle::count) { CHECK(counters[pair.hidden] < 40); }
    }
}

}  // namespace
}  // namespace lookahead::test
