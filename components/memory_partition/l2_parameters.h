#pragma once

#include <cstdint>

#include "core/param/parameters.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// One slice of the L2 cache. Its fixed pipeline latency is on the crossbar's channels (CrossbarParameters).
struct L2Parameters {
    static constexpr std::string_view kTable = "GPGPU-Sim's GTX480 configuration";

    LOOKAHEAD_PARAMETER(std::int64_t, sets, 64, {1, 65536, "set"},
                        {.help = "Sets of a slice; a power of two.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, ways, 8, {1, 64, "line"},
                        {.help = "Lines of 128 bytes in a set.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, sector_bytes, 128, {32, 128, "byte"},
                        {.help = "Bytes that a slice fetches and writes back: 128, whole lines, or 32, the requested "
                                 "or dirty sectors of a line.",
                         .source = "Wong et al., ISPASS 2010, find no sectors in the caches of that time; Jia et al., "
                                   "2018, find 32 bytes in Volta's L2"});
    LOOKAHEAD_PARAMETER(std::int64_t, mshrs, 256, {1, 16384, "line"},
                        {.help = "Lines that a slice can await from DRAM.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, merges, 4, {1, 64, "request"},
                        {.help = "Requests that can wait for one line, including the first.", .source = kTable});
    LOOKAHEAD_PARAMETER(std::int64_t, miss_queue, 8, {2, 1024, "request"},
                        {.help = "Fetches and write-backs of a slice that wait for the DRAM's queue.",
                         .source = kTable});
    LOOKAHEAD_PARAMETER(
        bool, fetch_on_write, false,
        {.help = "A write to a line that the slice does not hold goes on to DRAM, and its line is fetched too; the "
                 "write is acknowledged when the line arrives, which is then clean. false: the write allocates a line "
                 "and fetches nothing.",
         .source = "a choice: Fermi's policy is not published. GPGPU-Sim 3.2 fetches and writes through (the W of "
                   "gpgpu_cache:dl2)"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, port_bytes, 128, {32, 128, "byte"},
        {.help = "Bytes that a read, a write or a write-back moves through the slice per cycle: 32, 64 or 128. Half "
                 "lines and sectors move whole. With l2.sector_bytes = 128 a miss moves only its write-back.",
         .source = "128: a line at once. GPGPU-Sim's stock GTX 480 splits a request into sectors of 32 bytes, one per "
                   "cycle, and has a data port of 32 bytes (the last number of gpgpu_cache:dl2)"});
    LOOKAHEAD_PARAMETER(
        Cycle, input_latency, 0, {0, 10000, "cycle"},
        {.help = "L2 cycles from a slice's port to its tags, in a pipeline that takes no buffer space of the network.",
         .source = "0: the fixed latency is on the crossbar's channels. GPGPU-Sim has it behind the slice's port "
                   "(rop_latency)"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, input_queue, 8, {1, 1024, "request"},
        {.help =
             "With l2.input_latency: the port takes no request while this many wait after the pipeline for the tags.",
         .source = "GPGPU-Sim's default of gpgpu_dram_partition_queues"});
    LOOKAHEAD_PARAMETER(Cycle, data_latency, 2, {0, 1000, "cycle"},
                        {.help = "L2 cycles from a request's tag access until the reply reaches its port.",
                         .source = "a choice: tag, then data access; the rest of the pipeline is on the channels"});
    LOOKAHEAD_PARAMETER(
        Cycle, far_latency, 0, {0, 1000, "cycle"},
        {.help = "Additional L2 cycles of an answer for an SM in the other half of the GPU. L2 then has two halves, "
                 "each of which keeps copies of the other's lines (components/memory_partition/l2_operations.h); SMs "
                 "with even numbers are in one half. 0: L2 is undivided.",
         .source = "0: one L2 up to Volta; since the A100 there are two halves (NVIDIA A100 white paper, 2020)"});
    LOOKAHEAD_PARAMETER(
        Cycle, atomic_cycles, 1, {1, 1000, "cycle"},
        {.help = "L2 cycles for which an atomic request holds the slice, for each of its lanes that access one word.",
         .source = "GPGPU-Sim performs a request in one cycle; the Kepler GK110 white paper (2012) names one operation "
                   "per clock on one address for Kepler, and nine times less for Fermi"});
    LOOKAHEAD_PARAMETER(Cycle, host_latency, 350, {1, 1'000'000, "cycle"},
                        {.help = "L2 cycles until the host receives a partition's answer.",
                         .source = "about half a microsecond, one way over PCI Express; no kernel time depends on it"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
