// A vector addition's traffic: the share of the DRAM's bandwidth that a partition uses.
#include <doctest/doctest.h>

#include "tests/components/memory_partition/partition_bench.h"
#include "tests/components/memory_partition/stream_player.h"

namespace lookahead::gpu::test {
namespace {

constexpr unsigned kLines = 6000;

TEST_CASE("a vector addition keeps the DRAM's data bus busy for most of the time") {
    PartitionBench bench({}, {}, [](unsigned m) { return std::make_unique<StreamPlayer>(m, 15, kLines); });
    bench.run();
    Cycle end = 0;
    for (unsigned m = 0; m < 15; ++m) {
        auto& player = static_cast<StreamPlayer&>(bench.process(1 + m));
        CHECK(player.finished());
        end = std::max(end, player.last_reply());
    }
    const DramCounters& dram = bench.partition().dram().counters();
    CHECK(dram.reads == 2 * kLines);
    const double dram_cycles = static_cast<double>(end) * 924 / 700;
    const double utilisation = static_cast<double>(dram.data_bus_cycles) / dram_cycles;
    const double hits = static_cast<double>(dram.row_hits) / static_cast<double>(dram.reads + dram.writes);
    MESSAGE("utilisation ", utilisation, ", row hits ", hits);
    CHECK(utilisation > 0.8);
    CHECK(utilisation <= 1.0);
    CHECK(hits > 0.8);
}

}  // namespace
}  // namespace lookahead::gpu::test
