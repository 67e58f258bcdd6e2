#include "tests/experiments/results/example_run.h"

#include "experiments/results/provenance.h"

namespace lookahead {

RunRecord example_run() {
    RunRecord record;
    record.config = {{"l1d.ways", std::int64_t{4}, "line", "m.toml:3", "Lines in a set."},
                     {"l1d.sectored", false, "", "default", "Lines have sectors."},
                     {"test.real", 700e6, "Hz", "override", "Core clock."},
                     {"sm.warp_scheduler", std::string("gto"), "", "default", "Variant of the slot."},
                     {"sm.frequency", std::int64_t{700'000'000}, "Hz", "default", "Core clock."},
                     {"dram.frequency", std::int64_t{924'000'000}, "Hz", "default", "DRAM clock."}};
    record.config_toml = "[l1d]\nways = 4\n";
    record.config_hash = 0x1234;
    record.state_hash = 0xfedcba9876543210u;
    record.run_id = make_run_id("vecadd", "tiny", 7, record.config_hash);
    record.outputs = "match";
    record.workload = "vecadd";
    record.size = "tiny";
    record.machine = "gtx480";
    record.seed = 7;
    record.time_fs = 4'285'714;
    record.cycles = 3000;
    record.warp_instructions = 4500;
    record.thread_instructions = 144'000;

    record.meta = make_run_meta({"lookahead", "run", "vecadd"});
    record.meta.ranks = 2;
    record.meta.sync = "window";
    record.meta.partition = "linear";
    record.meta.wall_s = 0.25;
    record.meta.warp_instructions_per_s = 18'000;
    record.meta.inputs = {{"m.toml", "00ff"}};

    record.components = {{"sm0", "sm", -1},
                         {"sm1", "sm", -1},
                         {"partition0", "memory_partition", -1},
                         {"sm0.l1d", "l1d", 0},
                         {"partition0.dram", "dram", 2}};
    record.counters = {
        {"dram", {"partition0.dram"}, {{"data_bus_cycles", "DRAM cycle", "Cycles of data on the bus.", {2000}}}},
        {"sm",
         {"sm0", "sm1"},
         {{"cycles", "cycle", "Cycles with work.", {2900, 2800}},
          {"warp_instructions", "instruction", "Warp instructions issued.", {2500, 2000}}}}};
    record.kernels = {{0, "vecadd", 0, {4, 1, 1}, {128, 1, 1}, 10, 0, 1000, 2'000'000, 1400, 2300, 73'600},
                      {1, "vecadd", 0, {4, 1, 1}, {128, 1, 1}, 10, 64, 2'000'100, 4'285'714, 1600, 2200, 70'400}};
    record.histograms = {{"sm",
                          "load_latency",
                          "cycle",
                          "Time of a load.",
                          {0, 100, 200},
                          {"sm0", "sm1"},
                          {5, 6, 7, 8},
                          {0, 0},
                          {1, 2}}};
    record.series = {
        {"dram",
         {1000, 2000, 3000},
         {"partition0.dram"},
         {{"data_bus_cycles", "DRAM cycle", "Cycles of data on the bus.", {500, 700, 800}}}},
        {"sm",
         {1000, 2000, 3000},
         {"sm0", "sm1"},
         {{"warp_instructions", "instruction", "Warp instructions issued.", {900, 700, 800, 650, 800, 650}}}}};
    record.kernel_counters = {{"dram.data_bus_cycles", "sm.cycles"}, {800, 2700, 1200, 3000}};
    record.instructions = {
        {{0, 0, "first", 0, "LD.GLOBAL.F32 R1, [R2] ;", 14, "ld.global.f32 %f1, [%rd1];", 7, "first.cu"},
         {0, 1, "first", 8, "ADD.F32 R1, R1, R1 ;", 15, "add.f32 %f2, %f1, %f1;", 7, "first.cu"},
         {0, 2, "first", 16, "EXIT ;", 0, "", 0, ""},
         {2, 0, "second", 0, "EXIT ;", 30, "ret;", 0, ""}},
        {{"issued", "instruction", "Issues."},
         {"memory", "warp cycle", "Waits for memory."},
         {"turn", "warp cycle", "Waits for a turn."},
         {"waited_for", "warp cycle", "Waits that it ended."}},
        {10, 0, 20, 300, 10, 300, 5, 0, 10, 0, 7, 0, 4, 0, 0, 0}};
    record.stalls = {
        {1000, 3000}, {"sm0", "sm1"}, {"issued", "barrier", "no_cta"}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
    record.latency = {{"miss_queue", "l2", "fill"},
                      {"sm0", "sm1"},
                      {"partition0.slice0", "partition0.slice1"},
                      {"hit", "dram"},
                      {100, 200},
                      {160, 290},
                      {10, 20, 30, 20, 30, 40},
                      {"global", "texture"}};
    record.kernel_energies.energy_delay_js = {1e-9, 2e-9};
    record.engine.resize(2);
    record.engine[0].processes = 2;
    record.engine[0].statistics.events = 123;
    record.engine[1].processes = 1;
    record.engine[1].statistics.window_lengths[20] = 9;
    return record;
}

}  // namespace lookahead
