#pragma once

#include <cstdint>

#include "components/sm/context_mask.h"
#include "components/sm/occupancy.h"
#include "core/param/parameters.h"

namespace lookahead::gpu {

/// The SM's structure; configuration prefix "sm".
struct SmParameters : OccupancyLimits {
    std::int64_t frequency = 700'000'000;
    std::int64_t schedulers = 2;
    std::int64_t issue_interval = 1;
    std::int64_t sp_units = 2;
    std::int64_t sfu_units = 1;
    std::int64_t dp_units = 1;
    std::int64_t integer_units = 0;
    bool private_units = false;
    std::int64_t result_buses = 0;
    bool control_on_sp = false;
    bool operand_collectors = true;
    std::int64_t collector_units = 6;
    std::int64_t special_collector_units = 8;
    std::int64_t memory_collector_units = 2;
    std::int64_t register_banks = 16;
    std::int64_t instruction_buffer = 2;
    std::int64_t fetch_latency = 2;
    bool private_fetch = false;
    std::int64_t branch_latency = 4;
    std::int64_t barrier_latency = 1;
    std::int64_t spin_limit = 1 << 20;
};

/// Cycles from issue to a dependent issue, and between two issues to one unit; configuration prefix "sm.timing".
struct TimingParameters {
    std::int64_t integer_latency = 4, integer_initiation = 1;
    std::int64_t integer_min_max_latency = 13, integer_min_max_initiation = 2;
    std::int64_t integer_multiply_latency = 4, integer_multiply_initiation = 2;
    std::int64_t integer_mad_latency = 5, integer_mad_initiation = 1;
    std::int64_t integer_divide_latency = 145, integer_divide_initiation = 8;
    std::int64_t fp32_add_latency = 4, fp32_add_initiation = 1;
    std::int64_t fp32_min_max_latency = 13, fp32_min_max_initiation = 2;
    std::int64_t fp32_multiply_latency = 4, fp32_multiply_initiation = 1;
    std::int64_t fp32_fma_latency = 5, fp32_fma_initiation = 1;
    std::int64_t fp32_divide_latency = 39, fp32_divide_initiation = 4;
    std::int64_t fp64_add_latency = 8, fp64_add_initiation = 8;
    std::int64_t fp64_multiply_latency = 8, fp64_multiply_initiation = 8;
    std::int64_t fp64_fma_latency = 8, fp64_fma_initiation = 8;
    std::int64_t fp64_divide_latency = 330, fp64_divide_initiation = 130;
    std::int64_t special_latency = 8, special_initiation = 8;
    std::int64_t cross_lane_latency = 26, cross_lane_initiation = 2;
    std::int64_t simple_latency = 0;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::ParametersOf<lookahead::gpu::SmParameters> {
    using P = gpu::SmParameters;
    inline static const auto list = parameter_list<P>(
        integer("frequency", &P::frequency, {1'000'000, 1'000'000'000'000, "Hz"},
                {.help = "Clock of the SMs.", .source = "GPGPU-Sim's GTX480 configuration; GTX 480 data sheet"}),
        integer("max_threads", &P::max_threads, {32, 4096, "thread"},
                {.help = "Resident threads of an SM.", .source = "CUDA C++ Programming Guide, compute capability 2.0"}),
        integer("max_warps", &P::max_warps, {1, gpu::kMaximumContexts, "warp"},
                {.help = "Resident warps of an SM.", .source = "CUDA C++ Programming Guide, compute capability 2.0"}),
        integer("max_ctas", &P::max_ctas, {1, 64, "CTA"},
                {.help = "Resident CTAs of an SM.", .source = "CUDA C++ Programming Guide, compute capability 2.0"}),
        integer("registers", &P::registers, {1024, 1 << 20, "register"},
                {.help = "32-bit registers of an SM.", .source = "CUDA C++ Programming Guide, compute capability 2.0"}),
        integer("register_unit", &P::register_unit, {1, 4096, "register"},
                {.help = "A warp's registers are allocated in multiples of this.",
                 .source = "CUDA Occupancy Calculator, compute capability 2.0"}),
        integer(
            "occupancy_registers", &P::occupancy_registers, {0, 1024, "register"},
            {.help = "Registers a thread for which occupancy is computed, whatever the finaliser allocated; 0: what "
                     "it allocated. For comparisons with simulators that allocate others.",
             .source = "a choice of the run"}),
        integer("shared_bytes", &P::shared_bytes, {0, 1 << 20, "byte"},
                {.help = "Shared memory of an SM.", .source = "NVIDIA Fermi white paper: 48 KB beside a 16 KB L1"}),
        integer("shared_unit", &P::shared_unit, {1, 4096, "byte"},
                {.help = "A CTA's shared memory is allocated in multiples of this.",
                 .source = "CUDA Occupancy Calculator, compute capability 2.0"}),
        integer("shared_reserved", &P::shared_reserved, {0, 1 << 16, "byte"},
                {.help = "Shared memory of each resident CTA that is not the program's.",
                 .source = "CUDA C++ Programming Guide: 1 KB a CTA from compute capability 8.0 on, none before"}),
        integer("schedulers", &P::schedulers, {1, 8, "scheduler"},
                {.help = "Warp schedulers; warp w belongs to scheduler w mod schedulers; each issues at most one "
                         "instruction a cycle.",
                 .source = "NVIDIA Fermi white paper"}),
        integer(
            "issue_interval", &P::issue_interval, {1, 32, "cycle"},
            {.help = "For so long an instruction that issues has its scheduler for itself. 1: the slot is free again "
                     "in the next cycle, and only the instruction's unit may be busy; 2: as where each scheduler has "
                     "16 lanes, which take the two halves of a warp one after the other.",
             .source = "GPGPU-Sim's manual: a scheduler issues in each cycle"}),
        integer("sp_units", &P::sp_units, {1, 8, "unit"},
                {.help = "Warp-wide pipelines for integer and fp32 operations.",
                 .source = "GPGPU-Sim's GTX480 configuration: each takes a warp a cycle; NVIDIA Fermi white paper: two "
                           "groups of 16 cores at twice this clock"}),
        integer("sfu_units", &P::sfu_units, {1, 8, "unit"},
                {.help = "Warp-wide pipelines for special functions and division.",
                 .source = "GPGPU-Sim's GTX480 configuration; NVIDIA Fermi white paper: four SFUs, eight hot-clock "
                           "cycles for a warp"}),
        integer("dp_units", &P::dp_units, {1, 8, "unit"},
                {.help = "Warp-wide pipelines for fp64 operations.",
                 .source = "one initiation interval per SM, as GPGPU-Sim's GTX480 configuration has it"}),
        boolean("operand_collectors", &P::operand_collectors,
                {.help = "Issued instructions pass collector units, which read their operands from the register file's "
                         "banks; false: they reach their unit at once, and sm.timing's latencies are all that a "
                         "dependent instruction waits for.",
                 .source = "GPGPU-Sim's manual; US patent 7,834,881"}),
        integer("collector_units", &P::collector_units, {1, 64, "unit"},
                {.help = "Collector units of instructions for the SP units.",
                 .source = "GPGPU-Sim's GTX480 configuration"}),
        integer("special_collector_units", &P::special_collector_units, {1, 64, "unit"},
                {.help = "Collector units of instructions for the SFU and DP units.",
                 .source = "GPGPU-Sim's GTX480 configuration, which executes fp64 on the SFU's path"}),
        integer("memory_collector_units", &P::memory_collector_units, {1, 64, "unit"},
                {.help = "Collector units of instructions for the load/store unit.", .source = "GPGPU-Sim's default"}),
        integer(
            "register_banks", &P::register_banks, {1, 64, "bank"},
            {.help = "Banks of the register file, each with one read or write of a warp's register in a cycle; row r "
                     "of the file is in bank r mod banks. A power of two.",
             .source = "GPGPU-Sim's GTX480 configuration"}),
        integer(
            "integer_units", &P::integer_units, {0, 8, "unit"},
            {.help = "Warp-wide pipelines for integer operations but division, beside the SP units, which then take "
                     "fp32 operations alone; 0: there are none.",
             .source = "NVIDIA Fermi white paper: a core has both. Volta's white paper, 2017: cores of their own"}),
        boolean("private_units", &P::private_units,
                {.help = "Each scheduler has units of its own, as many as the keys *_units say; they serve its warps "
                         "alone. Without: the SM's schedulers share them. Not with operand_collectors.",
                 .source = "NVIDIA Volta white paper, 2017: four processing blocks; Fermi's schedulers share"}),
        integer("result_buses", &P::result_buses, {0, 16, "bus"},
                {.help = "Results that leave the units in a cycle, and no more than one a unit: an instruction waits "
                         "before its unit until it finds its place. 0: units have their initiation intervals alone.",
                 .source = "0: compilers of Fermi's time see to that (no public figure). GPGPU-Sim: the last number of "
                           "gpgpu_pipeline_widths"}),
        boolean(
            "control_on_sp", &P::control_on_sp,
            {.help = "Branches, barriers and exits pass the way of the SP units too, for a cycle.",
             .source = "a choice: they are done at issue. GPGPU-Sim sends all that is not memory's or special to SP"}),
        integer("instruction_buffer", &P::instruction_buffer, {1, 8, "instruction"},
                {.help = "Decoded instructions that a warp holds; one fetch fills it.",
                 .source = "GPGPU-Sim's manual: two entries a warp"}),
        integer("fetch_latency", &P::fetch_latency, {1, 64, "cycle"},
                {.help = "From a fetch to the first cycle in which its instructions may issue, on an L1I hit.",
                 .source = "GPGPU-Sim's manual: fetch and decode are a stage each"}),
        boolean(
            "private_fetch", &P::private_fetch,
            {.help = "Each scheduler's warps have a fetch a cycle of their own; all look into the one L1I, and share "
                     "its misses and its way to memory. Without: the SM fetches for one warp in a cycle.",
             .source = "Kim et al., HPCA 2016, table of the configuration: one fetch a cycle for each group of "
                       "warps. Without: GPGPU-Sim's manual"}),
        integer("branch_latency", &P::branch_latency, {1, 64, "cycle"},
                {.help = "From a branch's issue to the fetch of what follows it.",
                 .source = "as an integer addition, in whose pipeline it is resolved"}),
        integer("barrier_latency", &P::barrier_latency, {1, 64, "cycle"},
                {.help = "From the arrival of a barrier's last warp to the cycle in which the warps may issue.",
                 .source = "no published figure; one cycle to tell the schedulers"}),
        integer("spin_limit", &P::spin_limit, {0, 1 << 30, "branch"},
                {.help = "With sm.simt=stack: branches back of a warp's lanes in a loop that polls memory, while other "
                         "lanes of the warp wait for them, after which an unchanged warp is a livelock; 0: never.",
                 .source = "no property of a machine: long enough for any wait for other warps seen so far"}));
};

template <>
struct lookahead::ParametersOf<lookahead::gpu::TimingParameters> {
    using P = gpu::TimingParameters;
    static constexpr std::int64_t kLongest = 1024;

    static DeclaredParameter<P, std::int64_t> latency(std::string_view name, std::int64_t P::*member,
                                                      std::string_view help, std::string_view source) {
        return integer(name, member, {1, kLongest, "cycle"}, {.help = help, .source = source});
    }
    static constexpr std::string_view kTable = "GPGPU-Sim's GTX480 configuration";
    static constexpr std::string_view kLatency = "From issue to the issue of a dependent instruction.";
    static constexpr std::string_view kInitiation = "Between two issues to one unit.";

    inline static const auto list = parameter_list<P>(
        latency("integer_latency", &P::integer_latency, kLatency, kTable),
        latency("integer_initiation", &P::integer_initiation, kInitiation, kTable),
        latency("integer_min_max_latency", &P::integer_min_max_latency, kLatency, kTable),
        latency("integer_min_max_initiation", &P::integer_min_max_initiation, kInitiation, kTable),
        latency("integer_multiply_latency", &P::integer_multiply_latency, kLatency, kTable),
        latency("integer_multiply_initiation", &P::integer_multiply_initiation, kInitiation, kTable),
        latency("integer_mad_latency", &P::integer_mad_latency, kLatency, kTable),
        latency("integer_mad_initiation", &P::integer_mad_initiation, kInitiation, kTable),
        latency("integer_divide_latency", &P::integer_divide_latency, kLatency, kTable),
        latency("integer_divide_initiation", &P::integer_divide_initiation, kInitiation, kTable),
        latency("fp32_add_latency", &P::fp32_add_latency, kLatency, kTable),
        latency("fp32_add_initiation", &P::fp32_add_initiation, kInitiation, kTable),
        latency("fp32_min_max_latency", &P::fp32_min_max_latency, kLatency, kTable),
        latency("fp32_min_max_initiation", &P::fp32_min_max_initiation, kInitiation, kTable),
        latency("fp32_multiply_latency", &P::fp32_multiply_latency, kLatency, kTable),
        latency("fp32_multiply_initiation", &P::fp32_multiply_initiation, kInitiation, kTable),
        latency("fp32_fma_latency", &P::fp32_fma_latency, kLatency, kTable),
        latency("fp32_fma_initiation", &P::fp32_fma_initiation, kInitiation, kTable),
        latency("fp32_divide_latency", &P::fp32_divide_latency, kLatency, kTable),
        latency("fp32_divide_initiation", &P::fp32_divide_initiation, kInitiation, kTable),
        latency("fp64_add_latency", &P::fp64_add_latency, kLatency, kTable),
        latency("fp64_add_initiation", &P::fp64_add_initiation, kInitiation, kTable),
        latency("fp64_multiply_latency", &P::fp64_multiply_latency, kLatency, kTable),
        latency("fp64_multiply_initiation", &P::fp64_multiply_initiation, kInitiation, kTable),
        latency("fp64_fma_latency", &P::fp64_fma_latency, kLatency, kTable),
        latency("fp64_fma_initiation", &P::fp64_fma_initiation, kInitiation, kTable),
        latency("fp64_divide_latency", &P::fp64_divide_latency, kLatency, kTable),
        latency("fp64_divide_initiation", &P::fp64_divide_initiation, kInitiation, kTable),
        latency("special_latency", &P::special_latency, kLatency, "GPGPU-Sim's default for special functions"),
        latency("special_initiation", &P::special_initiation, kInitiation,
                "NVIDIA Fermi white paper: four special function units, eight cycles for a warp"),
        latency("cross_lane_latency", &P::cross_lane_latency,
                "Shuffle and match: from issue to the issue of a dependent instruction.",
                "Fermi has none; as an access to shared memory, whose crossbar later machines use"),
        integer(
            "simple_latency", &P::simple_latency, {0, kLongest, "cycle"},
            {.help = "From issue to the issue of a dependent instruction, of moves, comparisons, selections, logic, "
                     "shifts, and conversions without fp64; 0: as additions.",
             .source = "0: guide, one latency for all that SP units do. GPGPU-Sim gives 1 to all that its tables do "
                       "not name"}),
        latency("cross_lane_initiation", &P::cross_lane_initiation, kInitiation, "Fermi has none; 16 lanes a cycle"));
};
