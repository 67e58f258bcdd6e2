// Which cycles of a scheduler lie in a long wait of one of its warps for memory: a wait's length is known only at its
// end, and no cycle counts twice.
#include "components/sm/pipeline/pipeline_state.h"

#include <doctest/doctest.h>

#include <array>

#include "tests/components/sm/kernels.h"
#include "tests/components/sm/sm_harness.h"
#include "tests/support/seed.h"

namespace lookahead::test {
namespace {

using gpu::SchedulerCycle;

/// Waits given cycle by cycle, with the cause charged for each cycle.
struct Bench {
    static constexpr unsigned kContexts = 6, kSchedulers = 2;

    Bench() { waits.observe(schedulers); }
    /// A cycle in which both schedulers charge `cause`.
    void cycles(unsigned count, SchedulerCycle cause = SchedulerCycle::memory_wait) {
        counters.cycles += count;
        for (gpu::SchedulerCounters& scheduler : schedulers) { scheduler[cause] += count; }
    }

    gpu::SmCounters counters;
    std::vector<gpu::SchedulerCounters> schedulers{kSchedulers};
    gpu::MemoryWaits waits{kContexts, kSchedulers, counters};
};

TEST_CASE("a wait of 100 cycles is short, and one of 101 is long") {
    for (const unsigned cycles : {100u, 101u}) {
        Bench bench;
        bench.cycles(7);
        bench.waits.begin(0);
        bench.cycles(cycles);
        CHECK(bench.waits.waits(0));
        bench.waits.end(0);
        CHECK_FALSE(bench.waits.waits(0));
        CHECK(bench.counters.memory_waits == 1);
        CHECK(bench.counters.long_waits == (cycles > 100));
        CHECK(bench.counters.long_latency == (cycles > 100 ? 101 : 0));
    }
}

TEST_CASE("of a long wait's cycles those count that its scheduler charged to memory") {
    Bench bench;
    bench.waits.begin(1);
    bench.cycles(30);
    bench.cycles(60, SchedulerCycle::issued);
    bench.cycles(20);
    bench.waits.end(1);
    CHECK(bench.counters.long_waits == 1);
    CHECK(bench.counters.long_latency == 50);
}

TEST_CASE("a wait goes on where it is found again, and each cycle in long waits of a scheduler counts once") {
    struct Step {
        bool begins;  // or ends
        unsigned context;
        unsigned then;  // cycles
    };
    constexpr bool kBegin = true, kEnd = false;
    const struct {
        const char* what;
        std::vector<Step> steps;
        unsigned waits, long_waits, cycles;
    } cases[] = {
        {"found again, and begun anew",
         {{kBegin, 0, 60}, {kBegin, 0, 60}, {kEnd, 0, 0}, {kBegin, 0, 60}, {kEnd, 0, 0}},
         2,
         1,
         120},
        {"two of a scheduler", {{kBegin, 0, 50}, {kBegin, 2, 100}, {kEnd, 0, 50}, {kEnd, 2, 0}}, 2, 2, 200},
        {"two of two schedulers", {{kBegin, 0, 50}, {kBegin, 1, 100}, {kEnd, 0, 50}, {kEnd, 1, 0}}, 2, 2, 150 + 150},
        {"a later one ends first", {{kBegin, 0, 30}, {kBegin, 2, 120}, {kEnd, 2, 30}, {kEnd, 0, 0}}, 2, 2, 180},
        {"one is short", {{kBegin, 0, 50}, {kBegin, 2, 100}, {kEnd, 2, 0}, {kEnd, 0, 0}}, 2, 1, 150}};
    for (const auto& [what, steps, waits, long_waits, cycles] : cases) {
        CAPTURE(what);
        Bench bench;
        for (const auto& [begins, context, then] : steps) {
            begins ? bench.waits.begin(context) : bench.waits.end(context);
            bench.cycles(then);
        }
        CHECK(bench.counters.memory_waits == waits);
        CHECK(bench.counters.long_waits == long_waits);
        CHECK(bench.counters.long_latency == cycles);
    }
}

TEST_CASE("waits at random have the cycles of their union, and go on behind a checkpoint") {
    std::mt19937_64 random(random_seed());
    bool some_long = false;
    for (unsigned round = 0; round < 200; ++round) {
        Bench bench;
        struct Interval {
            unsigned scheduler;
            std::size_t begin, end;
        };
        std::vector<Interval> intervals;
        std::array<std::size_t, Bench::kContexts> begun{};
        std::array<std::vector<bool>, Bench::kSchedulers> memory;
        const auto most = static_cast<unsigned>(20 + random() % 300);
        std::array<unsigned, Bench::kContexts> left{};  // cycles until the context's next change
        for (std::size_t cycle = 0; cycle < 3000; ++cycle) {
            for (unsigned context = 0; context < Bench::kContexts; ++context) {
                if (left[context]-- != 0) { continue; }
                left[context] = static_cast<unsigned>(random() % most);
                if (bench.waits.waits(context)) {
                    bench.waits.end(context);
                    intervals.push_back({context % Bench::kSchedulers, begun[context], cycle});
                } else {
                    bench.waits.begin(context);
                    begun[context] = cycle;
                }
            }
            if (random() % 100 == 0) {
                // State outside the checkpoint would be lost.
                const std::string bytes = saved_state(bench.waits);
                for (unsigned context = 0; context < Bench::kContexts; ++context) { bench.waits.begin(context); }
                load_state(bench.waits, bytes);
            }
            ++bench.counters.cycles;
            for (unsigned scheduler = 0; scheduler < Bench::kSchedulers; ++scheduler) {
                bool waits = false;
                for (unsigned context = scheduler; context < Bench::kContexts; context += Bench::kSchedulers) {
                    waits |= bench.waits.waits(context);
                }
                memory[scheduler].push_back(waits && random() % 3 != 0);
                ++bench.schedulers[scheduler]
                                  [memory[scheduler].back() ? SchedulerCycle::memory_wait : SchedulerCycle::issued];
            }
        }
        for (unsigned context = 0; context < Bench::kContexts; ++context) {
            if (bench.waits.waits(context)) {
                bench.waits.end(context);
                intervals.push_back({context % Bench::kSchedulers, begun[context], memory[0].size()});
            }
        }
        CHECK(bench.waits.under_way() == 0);
        std::uint64_t expected = 0, long_waits = 0;
        for (unsigned scheduler = 0; scheduler < Bench::kSchedulers; ++scheduler) {
            std::vector<bool> in_long_wait(memory[scheduler].size());
            for (const Interval& interval : intervals) {
                if (interval.scheduler == scheduler && interval.end - interval.begin > 100) {
                    ++long_waits;
                    std::fill(in_long_wait.begin() + static_cast<std::ptrdiff_t>(interval.begin),
                              in_long_wait.begin() + static_cast<std::ptrdiff_t>(interval.end), true);
                }
            }
            for (std::size_t cycle = 0; cycle < in_long_wait.size(); ++cycle) {
                expected += memory[scheduler][cycle] && in_long_wait[cycle];
            }
        }
        CHECK(bench.counters.memory_waits == intervals.size());
        CHECK(bench.counters.long_waits == long_waits);
        CHECK(bench.counters.long_latency == expected);
        some_long |= long_waits > 10;
    }
    CHECK(some_long);
}

/// The statistics of a kernel run by one warp alone.
gpu::SmCounters run(KernelBuilder& k, const FakeMemory& memory) {
    PlainSmHarness harness({k.finish()}, "", memory);
    harness.run_to_end({.block = {32, 1, 1}, .parameters = global_parameters()});
    return harness.counters();
}

TEST_CASE("an SM's warp that waits for a load's value for 100 cycles waits shortly, and for 101 long") {
    for (const Cycle cycles : {100, 101}) {
        KernelBuilder k("load", {8, 8});
        const auto x = k.reg();
        k.load(isa::Space::global, Type::u32, x, k.parameter(0));
        k.op(Operation::add, Type::u32, x, {x, x});
        const gpu::SmCounters counters = run(k, {.global_latency = cycles});
        CHECK(counters.memory_waits == 1);
        CHECK(counters.long_waits == (cycles > 100));
        CHECK(counters.long_latency == (cycles > 100 ? 101 : 0));
    }
}

TEST_CASE("waits for scratchpad and fence are no waits for memory, whatever they take") {
    KernelBuilder k("short", {8, 8});
    k.shared_bytes(64);
    const auto x = k.reg();
    k.load(isa::Space::shared, Type::u32, x, k.literal(0));
    k.op(Operation::add, Type::u32, x, {x, x});
    k.op(Operation::membar, Type::none, {}, {});
    const gpu::SmCounters counters = run(k, {.shared_latency = 300, .fence_latency = 300});
    CHECK(counters.memory_waits == 0);
    CHECK(counters.long_latency == 0);
}

}  // namespace
}  // namespace lookahead::test
