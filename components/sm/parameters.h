#pragma once

#include <cstdint>
#include <string>

#include "components/sm/context_mask.h"
#include "components/sm/occupancy.h"
#include "core/param/parameters.h"

namespace lookahead::gpu {

/// The SM's structure; configuration prefix "sm".
struct SmParameters : OccupancyLimits {
    LOOKAHEAD_INHERITED_PARAMETER(max_threads, {32, 4096, "thread"},
                                  {.help = "Resident threads of an SM.",
                                   .source = "CUDA C++ Programming Guide, compute capability 2.0"});
    LOOKAHEAD_INHERITED_PARAMETER(max_warps, {1, gpu::kMaximumContexts, "warp"},
                                  {.help = "Resident warps of an SM.",
                                   .source = "CUDA C++ Programming Guide, compute capability 2.0"});
    LOOKAHEAD_INHERITED_PARAMETER(max_ctas, {1, 64, "CTA"},
                                  {.help = "Resident CTAs of an SM.",
                                   .source = "CUDA C++ Programming Guide, compute capability 2.0"});
    LOOKAHEAD_INHERITED_PARAMETER(registers, {1024, 1 << 20, "register"},
                                  {.help = "32-bit registers of an SM.",
                                   .source = "CUDA C++ Programming Guide, compute capability 2.0"});
    LOOKAHEAD_INHERITED_PARAMETER(register_unit, {1, 4096, "register"},
                                  {.help = "A warp's registers are allocated in multiples of this.",
                                   .source = "CUDA Occupancy Calculator, compute capability 2.0"});
    LOOKAHEAD_INHERITED_PARAMETER(
        occupancy_registers, {0, 1024, "register"},
        {.help = "Registers per thread for which occupancy is computed, whatever the finaliser allocated; 0: what it "
                 "allocated. For comparisons with simulators that allocate others.",
         .source = "a choice of the run"});
    LOOKAHEAD_INHERITED_PARAMETER(shared_bytes, {0, 1 << 20, "byte"},
                                  {.help = "Shared memory of an SM.",
                                   .source = "NVIDIA Fermi white paper: 48 KB beside a 16 KB L1"});
    LOOKAHEAD_INHERITED_PARAMETER(shared_unit, {1, 4096, "byte"},
                                  {.help = "A CTA's shared memory is allocated in multiples of this.",
                                   .source = "CUDA Occupancy Calculator, compute capability 2.0"});
    LOOKAHEAD_INHERITED_PARAMETER(
        shared_reserved, {0, 1 << 16, "byte"},
        {.help = "Shared memory that each resident CTA takes in addition to the program's.",
         .source = "CUDA C++ Programming Guide: 1 KB per CTA from compute capability 8.0 on, none before"});
    LOOKAHEAD_PARAMETER(std::int64_t, frequency, 700'000'000, {1'000'000, 1'000'000'000'000, "Hz"},
                        {.help = "Clock of the SMs.",
                         .source = "GPGPU-Sim's GTX480 configuration; GTX 480 data sheet"});
    LOOKAHEAD_PARAMETER(std::int64_t, schedulers, 2, {1, 8, "scheduler"},
                        {.help = "Warp schedulers; warp w belongs to scheduler w mod schedulers; each issues at most "
                                 "one instruction a cycle.",
                         .source = "NVIDIA Fermi white paper"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, issue_interval, 1, {1, 32, "cycle"},
        {.help = "Cycles for which an instruction occupies its scheduler's issue slot. 1: the slot is free again in "
                 "the next cycle, and only the instruction's unit may be busy; 2: as with 16 lanes per scheduler, "
                 "which take the two halves of a warp one after the other.",
         .source = "GPGPU-Sim's manual: a scheduler can issue in each cycle"});
    LOOKAHEAD_PARAMETER(std::int64_t, sp_units, 2, {1, 8, "unit"},
                        {.help = "Warp-wide pipelines for integer and fp32 operations.",
                         .source = "GPGPU-Sim's GTX480 configuration: each takes a warp a cycle; NVIDIA Fermi white "
                                   "paper: two groups of 16 cores at twice this clock"});
    LOOKAHEAD_PARAMETER(std::int64_t, sfu_units, 1, {1, 8, "unit"},
                        {.help = "Warp-wide pipelines for special functions and division.",
                         .source = "GPGPU-Sim's GTX480 configuration; NVIDIA Fermi white paper: four SFUs, eight "
                                   "hot-clock cycles for a warp"});
    LOOKAHEAD_PARAMETER(std::int64_t, dp_units, 1, {1, 8, "unit"},
                        {.help = "Warp-wide pipelines for fp64 operations.",
                         .source = "one initiation interval per SM, as GPGPU-Sim's GTX480 configuration has it"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, integer_units, 0, {0, 8, "unit"},
        {.help = "Warp-wide pipelines for integer operations except division, beside the SP units, which then take "
                 "only fp32 operations; 0: none.",
         .source = "NVIDIA Fermi white paper: a core has both. Volta's white paper, 2017: separate integer cores"});
    LOOKAHEAD_PARAMETER(bool, private_units, false,
                        {.help = "Each scheduler has its own units, as many as the keys *_units say, for its warps "
                                 "only. false: the SM's schedulers share the units. Not with operand_collectors.",
                         .source = "NVIDIA Volta white paper, 2017: four processing blocks; Fermi's schedulers share"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, result_buses, 0, {0, 16, "bus"},
        {.help = "Results that can leave the units in a cycle, at most one per unit: an instruction waits before its "
                 "unit until its result has a place. 0: only initiation intervals limit the units.",
         .source = "0: compilers of Fermi's time avoid such conflicts (no public figure). GPGPU-Sim: the last number "
                   "of gpgpu_pipeline_widths"});
    LOOKAHEAD_PARAMETER(bool, control_on_sp, false,
                        {.help = "Branches, barriers and exits also pass through the SP units, for one cycle.",
                         .source = "a choice: they are done at issue. GPGPU-Sim sends all instructions to SP but "
                                   "memory and special-function ones"});
    LOOKAHEAD_PARAMETER(bool, operand_collectors, true,
                        {.help = "Issued instructions pass through collector units, which read their operands from the "
                                 "register file's banks; false: they reach their unit at once, and sm.timing's "
                                 "latencies are all that a dependent instruction waits for.",
                         .source = "GPGPU-Sim's manual; US patent 7,834,881"});
    LOOKAHEAD_PARAMETER(
        std::string, dependences, "scoreboard", {"scoreboard", "control_words"},
        {.help = "What keeps a warp's instruction from issuing before its operands are there: a scoreboard of "
                 "registers, or, for native code (program.code), the stall counts and dependence counters in its "
                 "control words; PTX has none and keeps the scoreboard. A kernel whose control words wait too short "
                 "a time for the machine's latencies is refused. control_words goes with neither operand_collectors, "
                 "result_buses nor issue_extension.",
         .source = "Huerta et al., Dissecting and Modeling the Architecture of Modern GPU Cores, MICRO 2025, "
                   "section 4. scoreboard: GPGPU-Sim"});
    LOOKAHEAD_PARAMETER(std::int64_t, collector_units, 6, {1, 64, "unit"},
                        {.help = "Collector units of instructions for the SP units.",
                         .source = "GPGPU-Sim's GTX480 configuration"});
    LOOKAHEAD_PARAMETER(std::int64_t, special_collector_units, 8, {1, 64, "unit"},
                        {.help = "Collector units of instructions for the SFU and DP units.",
                         .source = "GPGPU-Sim's GTX480 configuration, which executes fp64 on the SFU's path"});
    LOOKAHEAD_PARAMETER(std::int64_t, memory_collector_units, 2, {1, 64, "unit"},
                        {.help = "Collector units of instructions for the load/store unit.",
                         .source = "GPGPU-Sim's default"});
    LOOKAHEAD_PARAMETER(std::int64_t, register_banks, 16, {1, 64, "bank"},
                        {.help = "Banks of the register file, each with one read or write of a warp's register in a "
                                 "cycle; row r of the file is in bank r mod banks. A power of two.",
                         .source = "GPGPU-Sim's GTX480 configuration"});
    LOOKAHEAD_PARAMETER(
        bool, register_ports, false,
        {.help = "With dependences = control_words: each of the register_banks banks of a scheduler's registers gives "
                 "one warp's register in a cycle. An instruction of fixed latency waits until it can read its operands "
                 "within three cycles, and the scheduler waits with it; operands with a reuse bit come from a cache. "
                 "Without: no instruction waits.",
         .source = "Huerta et al., MICRO 2025, section 5.3: two banks. Without: a choice"});
    LOOKAHEAD_PARAMETER(std::int64_t, instruction_buffer, 2, {1, 8, "instruction"},
                        {.help = "Decoded instructions that a warp holds; one fetch fills it.",
                         .source = "GPGPU-Sim's manual: two entries per warp"});
    LOOKAHEAD_PARAMETER(std::int64_t, fetch_latency, 2, {1, 64, "cycle"},
                        {.help = "From a fetch to the first cycle in which its instructions may issue, on an L1I hit.",
                         .source = "GPGPU-Sim's manual: fetch and decode are one stage each"});
    LOOKAHEAD_PARAMETER(bool, private_fetch, false,
                        {.help = "Each scheduler fetches for one of its warps in a cycle; all share the L1I, its "
                                 "misses and its path to memory. false: the SM fetches for one warp in a cycle.",
                         .source = "Kim et al., HPCA 2016, table of the configuration: one fetch a cycle for each "
                                   "group of warps. false: GPGPU-Sim's manual"});
    LOOKAHEAD_PARAMETER(std::int64_t, branch_latency, 4, {1, 64, "cycle"},
                        {.help = "From a branch's issue to the fetch of what follows it.",
                         .source = "as an integer addition, in whose pipeline it is resolved"});
    LOOKAHEAD_PARAMETER(std::int64_t, barrier_latency, 1, {1, 64, "cycle"},
                        {.help = "From the arrival of a barrier's last warp to the cycle in which the warps may issue.",
                         .source = "no published figure; one cycle to tell the schedulers"});
    LOOKAHEAD_PARAMETER(std::int64_t, barrier_interval, 0, {0, 64, "cycle"},
                        {.help = "Cycles that a warp's arrival at a barrier takes; an SM's warps arrive one "
                                 "after another. 0: all that issue at once arrive at once.",
                         .source = "0: GPGPU-Sim. On an H100 a barrier of 32 warps takes 76 cycles "
                                   "(tests/validation/REAL_GPU.md)"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, spin_limit, 1 << 20, {0, 1 << 30, "branch"},
        {.help = "With sm.simt=stack: backward branches of a warp's lanes in a loop that polls memory, while other "
                 "lanes of the warp wait for them, after which an unchanged warp counts as a livelock; 0: never.",
         .source = "no property of a machine: long enough for any wait for other warps seen so far"});
    LOOKAHEAD_ALL_DECLARED;
};

/// Cycles from issue to a dependent issue, and between two issues to one unit; configuration prefix "sm.timing".
struct TimingParameters {
    static constexpr IntegerRange kRange{1, 1024, "cycle"};
    static constexpr std::string_view kTable = "GPGPU-Sim's GTX480 configuration";
    static constexpr ParameterOptions kLatency{"From issue to the issue of a dependent instruction.", kTable};
    static constexpr ParameterOptions kInitiation{"Between two issues to one unit.", kTable};
    LOOKAHEAD_PARAMETER(std::int64_t, integer_latency, 4, kRange, kLatency);
    LOOKAHEAD_PARAMETER(std::int64_t, integer_initiation, 1, kRange, kInitiation);
    LOOKAHEAD_PARAMETER(std::int64_t, integer_min_max_latency, 13, kRange, kLatency);
    LOOKAHEAD_PARAMETER(std::int64_t, integer_min_max_initiation, 2, kRange, kInitiation);
    LOOKAHEAD_PARAMETER(std::int64_t, integer_multiply_latency, 4, kRange, kLatency);
    LOOKAHEAD_PARAMETER(std::int64_t, integer_multiply_initiation, 2, kRange, kInitiation);
    LOOKAHEAD_PARAMETER(std::int64_t, integer_mad_latency, 5, kRange, kLatency);
    LOOKAHEAD_PARAMETER(std::int64_t, integer_mad_initiation, 1, kRange, kInitiation);
    LOOKAHEAD_PARAMETER(std::int64_t, integer_divide_latency, 145, kRange, kLatency);
    LOOKAHEAD_PARAMETER(std::int64_t, integer_divide_initiation, 8, kRange, kInitiation);
    LOOKAHEAD_PARAMETER(std::int64_t, fp32_add_latency, 4, kRange, kLatency);
    LOOKAHEAD_PARAMETER(std::int64_t, fp32_add_initiation, 1, kRange, kInitiation);
    LOOKAHEAD_PARAMETER(std::int64_t, fp32_min_max_latency, 13, kRange, kLatency);
    LOOKAHEAD_PARAMETER(std::int64_t, fp32_min_max_initiation, 2, kRange, kInitiation);
    LOOKAHEAD_PARAMETER(std::int64_t, fp32_multiply_latency, 4, kRange, kLatency);
    LOOKAHEAD_PARAMETER(std::int64_t, fp32_multiply_initiation, 1, kRange, kInitiation);
    LOOKAHEAD_PARAMETER(std::int64_t, fp32_fma_latency, 5, kRange, kLatency);
    LOOKAHEAD_PARAMETER(std::int64_t, fp32_fma_initiation, 1, kRange, kInitiation);
    LOOKAHEAD_PARAMETER(std::int64_t, fp32_divide_latency, 39, kRange, kLatency);
    LOOKAHEAD_PARAMETER(std::int64_t, fp32_divide_initiation, 4, kRange, kInitiation);
    LOOKAHEAD_PARAMETER(std::int64_t, fp64_add_latency, 8, kRange, kLatency);
    LOOKAHEAD_PARAMETER(std::int64_t, fp64_add_initiation, 8, kRange, kInitiation);
    LOOKAHEAD_PARAMETER(std::int64_t, fp64_multiply_latency, 8, kRange, kLatency);
    LOOKAHEAD_PARAMETER(std::int64_t, fp64_multiply_initiation, 8, kRange, kInitiation);
    LOOKAHEAD_PARAMETER(std::int64_t, fp64_fma_latency, 8, kRange, kLatency);
    LOOKAHEAD_PARAMETER(std::int64_t, fp64_fma_initiation, 8, kRange, kInitiation);
    LOOKAHEAD_PARAMETER(std::int64_t, fp64_divide_latency, 330, kRange, kLatency);
    LOOKAHEAD_PARAMETER(std::int64_t, fp64_divide_initiation, 130, kRange, kInitiation);
    LOOKAHEAD_PARAMETER(std::int64_t, special_latency, 8, kRange,
                        {.help = kLatency.help, .source = "GPGPU-Sim's default for special functions"});
    LOOKAHEAD_PARAMETER(std::int64_t, special_initiation, 8, kRange,
                        {.help = kInitiation.help,
                         .source = "NVIDIA Fermi white paper: four special function units, eight cycles for a warp"});
    LOOKAHEAD_PARAMETER(std::int64_t, cross_lane_latency, 26, kRange,
                        {.help = "Shuffle and match: from issue to the issue of a dependent instruction.",
                         .source = "Fermi has none; as an access to shared memory, whose crossbar later machines use"});
    LOOKAHEAD_PARAMETER(std::int64_t, cross_lane_initiation, 2, kRange,
                        {.help = kInitiation.help, .source = "Fermi has none; 16 lanes a cycle"});
    LOOKAHEAD_PARAMETER(std::int64_t, simple_latency, 0, {0, 1024, "cycle"},
                        {.help = "Latency of moves, comparisons, selections, logic, shifts, and conversions without "
                                 "fp64: from issue to the issue of a dependent instruction; 0: as additions.",
                         .source = "0: guide, one latency for all instructions of the SP units. GPGPU-Sim gives 1 to "
                                   "all instructions that its tables do not name"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, uniform_move_latency, 0, {0, 1024, "cycle"},
        {.help = "Latency of moves in the uniform unit (native code's UMOV, and ULDC of a launch's constants): from "
                 "issue to the issue of a dependent instruction; 0: as other moves.",
         .source = "0: the same unit. In code for sm_90 ptxas lets dependent instructions issue 2 cycles after these "
                   "moves, and 4 to 6 cycles after other uniform instructions"});
    static constexpr std::string_view kHuerta = "Huerta et al., MICRO 2025, table 2: an RTX A6000";
    LOOKAHEAD_PARAMETER(std::int64_t, operand_read_latency, 9, kRange,
                        {.help = "With sm.dependences = control_words: from issue until the operands are read, which "
                                 "native code's read barriers wait for; global, local and constant accesses have "
                                 "keys of their own.",
                         .source = kHuerta});
    LOOKAHEAD_PARAMETER(std::int64_t, global_read_latency, 11, kRange,
                        {.help = "operand_read_latency of global, local and generic accesses.", .source = kHuerta});
    LOOKAHEAD_PARAMETER(std::int64_t, constant_read_latency, 29, kRange,
                        {.help = "operand_read_latency of loads of constants.", .source = kHuerta});
    LOOKAHEAD_PARAMETER(std::int64_t, store_read_latency, 3, {0, 1024, "cycle"},
                        {.help = "Cycles by which stores and atomics read their operands later than loads do.",
                         .source = kHuerta});
    LOOKAHEAD_PARAMETER(std::int64_t, store_word_read_latency, 2, {0, 1024, "cycle"},
                        {.help = "Further cycles for each word after the first that a lane stores.",
                         .source = kHuerta});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
