#pragma once

#include <cstdint>

#include "core/param/parameters.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// `texture.*`: an SM's texture unit and its cache. Defaults: GTX480.
struct TextureParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, sets, 4, {1, 1 << 12, "set"},
                        {.help = "Sets of the texture cache.",
                         .source = "GPGPU-Sim's GTX480 configuration (12 KB; the Fermi white paper names 12 KB too)"});
    LOOKAHEAD_PARAMETER(std::int64_t, ways, 24, {1, 64, "line"},
                        {.help = "Lines of 128 bytes in a set.", .source = "GPGPU-Sim's GTX480 configuration"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, lanes_per_cycle, 4, {1, 32, "thread"},
        {.help = "Threads whose texels are addressed in a cycle.",
         .source = "NVIDIA Fermi white paper: four texture units an SM, each of one address and four samples a clock"});
    LOOKAHEAD_PARAMETER(std::int64_t, instructions, 8, {1, 64, "instruction"},
                        {.help = "Warp instructions in the unit, from acceptance to the last texel.",
                         .source = "estimate: hides a miss to DRAM at the unit's throughput"});
    LOOKAHEAD_PARAMETER(std::int64_t, accesses, 128, {1, 4096, "access"},
                        {.help = "Accesses to lines between the tags and the data (the fragment FIFO).",
                         .source = "GPGPU-Sim's GTX480 configuration, fragment FIFO"});
    LOOKAHEAD_PARAMETER(std::int64_t, miss_queue, 8, {1, 256, "request"},
                        {.help = "Requests between the texture cache and the network.", .source = "as l1d.miss_queue"});
    LOOKAHEAD_PARAMETER(std::int64_t, descriptors, 16, {1, 64, "texture"},
                        {.help = "Descriptors of texture objects that the unit keeps.",
                         .source = "estimate: not published"});
    LOOKAHEAD_PARAMETER(std::int64_t, filter_latency, 60, {1, 1000, "cycle"},
                        {.help = "From the last texel's arrival at the data to the result in the registers.",
                         .source = "estimate: with the addressing of a warp and the tags, a hit takes about half of "
                                   "the 200 and more hot clocks that Wong et al., ISPASS 2010, measure on a GT200"});
    LOOKAHEAD_ALL_DECLARED;
};

struct TextureCounters {
    LOOKAHEAD_COUNTER(instructions, "instruction", "Warp texture fetches.");
    LOOKAHEAD_COUNTER(texels, "texel", "Texels read, those of the border left out.");
    LOOKAHEAD_COUNTER(accesses, "access", "Accesses to lines: each serves lanes that are addressed together.");
    LOOKAHEAD_COUNTER(hits, "access", "Accesses whose line was there.");
    LOOKAHEAD_COUNTER(merges, "access", "Accesses whose line was on its way.");
    LOOKAHEAD_COUNTER(misses, "access", "Accesses that fetched their line.");
    LOOKAHEAD_COUNTER(descriptor_misses, "access", "Descriptors that were fetched.");
    LOOKAHEAD_COUNTER(instruction_cycles, "cycle", "From acceptance to completion, over all instructions.");
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
