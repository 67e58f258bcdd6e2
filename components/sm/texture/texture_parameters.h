#pragma once

#include <cstdint>
#include <tuple>

#include "core/param/parameters.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// `texture.*`: an SM's texture unit and its cache. Defaults: GTX480.
struct TextureParameters {
    std::int64_t sets = 4;
    std::int64_t ways = 24;
    std::int64_t lanes_per_cycle = 4;
    std::int64_t instructions = 8;
    std::int64_t accesses = 128;
    std::int64_t miss_queue = 8;
    std::int64_t descriptors = 16;
    std::int64_t filter_latency = 60;
};

struct TextureCounters {
    std::uint64_t instructions = 0;
    std::uint64_t texels = 0;
    std::uint64_t accesses = 0;
    std::uint64_t hits = 0;
    std::uint64_t merges = 0;
    std::uint64_t misses = 0;
    std::uint64_t descriptor_misses = 0;
    std::uint64_t instruction_cycles = 0;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::ParametersOf<lookahead::gpu::TextureParameters> {
    using P = lookahead::gpu::TextureParameters;
    inline static const auto list = parameter_list<P>(
        integer("sets", &P::sets, {1, 1 << 12, "set"},
                {.help = "Sets of the texture cache.",
                 .source = "GPGPU-Sim's GTX480 configuration (12 KB; the Fermi white paper names 12 KB too)"}),
        integer("ways", &P::ways, {1, 64, "line"},
                {.help = "Lines of 128 bytes in a set.", .source = "GPGPU-Sim's GTX480 configuration"}),
        integer("lanes_per_cycle", &P::lanes_per_cycle, {1, 32, "thread"},
                {.help = "Threads whose texels are addressed in a cycle.",
                 .source = "NVIDIA Fermi white paper: four texture units an SM, each of one address and four samples "
                           "a clock"}),
        integer("instructions", &P::instructions, {1, 64, "instruction"},
                {.help = "Warp instructions in the unit, from acceptance to the last texel.",
                 .source = "estimate: hides a miss to DRAM at the unit's throughput"}),
        integer("accesses", &P::accesses, {1, 4096, "access"},
                {.help = "Accesses to lines between the tags and the data (the fragment FIFO).",
                 .source = "GPGPU-Sim's GTX480 configuration, fragment FIFO"}),
        integer("miss_queue", &P::miss_queue, {1, 256, "request"},
                {.help = "Requests between the texture cache and the network.", .source = "as l1d.miss_queue"}),
        integer("descriptors", &P::descriptors, {1, 64, "texture"},
                {.help = "Descriptors of texture objects that the unit keeps.", .source = "estimate: not published"}),
        integer("filter_latency", &P::filter_latency, {1, 1000, "cycle"},
                {.help = "From the last texel's arrival at the data to the result in the registers.",
                 .source = "estimate: with the addressing of a warp and the tags, a hit takes about half of the 200 "
                           "and more hot clocks that Wong et al., ISPASS 2010, measure on a GT200"}));
};

template <>
struct lookahead::StatisticsOf<lookahead::gpu::TextureCounters> {
    using C = lookahead::gpu::TextureCounters;
    static constexpr std::tuple list{
        Counter<C>{"instructions", "instruction", "Warp texture fetches.", &C::instructions},
        Counter<C>{"texels", "texel", "Texels read, those of the border left out.", &C::texels},
        Counter<C>{"accesses", "access", "Accesses to lines: each serves lanes that are addressed together.",
                   &C::accesses},
        Counter<C>{"hits", "access", "Accesses whose line was there.", &C::hits},
        Counter<C>{"merges", "access", "Accesses whose line was on its way.", &C::merges},
        Counter<C>{"misses", "access", "Accesses that fetched their line.", &C::misses},
        Counter<C>{"descriptor_misses", "access", "Descriptors that were fetched.", &C::descriptor_misses},
        Counter<C>{"instruction_cycles", "cycle", "From acceptance to completion, over all instructions.",
                   &C::instruction_cycles}};
};
