// The host's cost of a partition: requests per second when recorded traffic of fifteen requesters is replayed into the
// partition alone in windows of 64 core cycles.
#include <benchmark/benchmark.h>

#include "tests/components/memory_partition/partition_bench.h"
#include "tests/components/memory_partition/request_player.h"
#include "tests/components/memory_partition/stream_player.h"

namespace lookahead::gpu::test {
namespace {

void replay(benchmark::State& state, const PartitionBench::MakeRequester& make_requester) {
    PartitionBench recorded({}, {}, make_requester);
    recorded.run();
    std::int64_t requests = 0;
    for (const StoredMessage& message : recorded.inputs) { requests += message.header().type != Credit::kType; }
    for (auto _ : state) {
        state.PauseTiming();
        auto fresh = std::make_unique<PartitionBench>(MemoryPartitionArguments{});
        state.ResumeTiming();
        fresh->replay(recorded.inputs, fresh->clock().edge(64));
        state.PauseTiming();
        if (fresh->state_hash() != recorded.state_hash()) {
            state.SkipWithError("the replay differs from the recorded run");
        }
        fresh.reset();
        state.ResumeTiming();
    }
    state.SetItemsProcessed(state.iterations() * requests);
}

/// Every read and every written line goes to DRAM.
void stream(benchmark::State& state) {
    replay(state, [](unsigned m) { return std::make_unique<StreamPlayer>(m, 15, 20000); });
}
BENCHMARK(stream)->Unit(benchmark::kMillisecond);

void random(benchmark::State& state, unsigned lines) {
    replay(state, [lines](unsigned m) {
        PlayerOptions options;
        options.number = m;
        options.requests = 4000;
        options.lines = lines;
        return std::make_unique<RequestPlayer>(options);
    });
}
/// Within the capacity of L2.
void random_hits(benchmark::State& state) {
    random(state, 900);
}
BENCHMARK(random_hits)->Unit(benchmark::kMillisecond);
/// Eight times its capacity.
void random_misses(benchmark::State& state) {
    random(state, 8192);
}
BENCHMARK(random_misses)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lookahead::gpu::test

BENCHMARK_MAIN();
