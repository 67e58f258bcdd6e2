#pragma once

#include <cstdint>

#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// Bins of the histogram of distances from a prefetch to its demand.
inline constexpr std::size_t kDistanceBins = 12;
inline constexpr Histogram<kDistanceBins>::Edges kDistanceEdges = doubling_edges<kDistanceBins>(8);

/// Prefetches of an SM. requested = duplicates + unmapped + dropped + cleared + queued + issued, and
/// issued = useful + late + early_evicted + unused + outstanding.
struct PrefetchCounters {
    std::uint64_t requested = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t unmapped = 0;
    std::uint64_t dropped = 0;
    std::uint64_t cleared = 0;
    std::uint64_t queued = 0;
    std::uint64_t issued = 0;
    std::uint64_t useful = 0;
    std::uint64_t late = 0;
    std::uint64_t early_evicted = 0;
    std::uint64_t evicted_by_prefetch = 0;
    std::uint64_t unused = 0;
    std::uint64_t outstanding = 0;
    std::uint64_t matched = 0;
    std::uint64_t meant = 0;
    std::uint64_t address_right = 0;
    std::uint64_t distance_cycles = 0;
    std::uint64_t loads = 0;
    std::uint64_t load_accesses = 0;
    Histogram<kDistanceBins> distance;
};

/// The same counts for one load of one kernel on an SM.
struct PrefetchLoadCounters {
    std::uint64_t executions = 0;
    std::uint64_t accesses = 0;
    std::uint64_t issued = 0;
    std::uint64_t useful = 0;
    std::uint64_t late = 0;
    std::uint64_t early_evicted = 0;
    std::uint64_t unused = 0;
    std::uint64_t matched = 0;
    std::uint64_t distance_cycles = 0;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::StatisticsOf<lookahead::gpu::PrefetchCounters> {
    using C = lookahead::gpu::PrefetchCounters;
    static constexpr std::tuple list{
        Counter<C>{"requested", "line", "Prefetches that the prefetcher chose.", &C::requested},
        Counter<C>{
            "duplicates", "line",
            "Of these, lines that were present, under way or queued already, or that a demand load fetched first.",
            &C::duplicates},
        Counter<C>{"unmapped", "line", "Of these, addresses that are not allocated.", &C::unmapped},
        Counter<C>{"dropped", "line", "Of these, requests that found the queue full.", &C::dropped},
        Counter<C>{"cleared", "line", "Of these, requests that the kernel's end took from the queue.", &C::cleared},
        Counter<C>{"queued", "line", "Of these, requests that are in the queue at the moment.", &C::queued},
        Counter<C>{"issued", "line", "Prefetches that went to memory.", &C::issued},
        Counter<C>{"useful", "line", "Of the issued, lines that a demand load found in L1.", &C::useful},
        Counter<C>{"late", "line", "Of the issued, lines that a demand load asked for while they were under way.",
                   &C::late},
        Counter<C>{"early_evicted", "line", "Of the issued, lines that made room for others before they were used.",
                   &C::early_evicted},
        Counter<C>{"evicted_by_prefetch", "line", "Of the early evicted, those that made room for prefetches.",
                   &C::evicted_by_prefetch},
        Counter<C>{
            "unused", "line",
            "Of the issued, lines that the kernel's end, a store, a fence or an atomic took before they were used.",
            &C::unused},
        Counter<C>{"outstanding", "line", "Of the issued, lines under way or in L1, not used so far.", &C::outstanding},
        Counter<C>{"matched", "line",
                   "Of the useful and the late, those that the very load and warp used for which they were fetched.",
                   &C::matched},
        Counter<C>{"meant", "line", "Of the issued, those for a warp that the prefetcher named.", &C::meant},
        Counter<C>{"address_right", "line",
                   "Of these, lines that this warp's load went to afterwards, whatever had become of the line by then.",
                   &C::address_right},
        Counter<C>{"distance_cycles", "cycle", "From a prefetch to the first demand for it, over the useful and late.",
                   &C::distance_cycles},
        Counter<C>{"loads", "instruction", "Warp loads from global memory that the prefetcher saw.", &C::loads},
        Counter<C>{"load_accesses", "access", "Their accesses, coalesced: the demand requests.", &C::load_accesses},
        HistogramOf<C, lookahead::gpu::kDistanceBins>{"distance", "cycle",
                                                      "From a prefetch to the first demand for it.", &C::distance,
                                                      lookahead::gpu::kDistanceEdges}};
};

template <>
struct lookahead::StatisticsOf<lookahead::gpu::PrefetchLoadCounters> {
    using C = lookahead::gpu::PrefetchLoadCounters;
    static constexpr std::tuple list{
        Counter<C>{"executions", "instruction", "Times that a warp executed the load.", &C::executions},
        Counter<C>{"accesses", "access", "Its accesses, coalesced.", &C::accesses},
        Counter<C>{"issued", "line", "Prefetches for this load that went to memory.", &C::issued},
        Counter<C>{"useful", "line", "Of these, lines that a demand load found in L1.", &C::useful},
        Counter<C>{"late", "line", "Of these, lines that a demand load asked for while they were under way.", &C::late},
        Counter<C>{"early_evicted", "line", "Of these, lines that made room for others before they were used.",
                   &C::early_evicted},
        Counter<C>{"unused", "line", "Of these, lines that were dropped before they were used.", &C::unused},
        Counter<C>{"matched", "line", "Of these, lines that this load and the warp for which they were fetched used.",
                   &C::matched},
        Counter<C>{"distance_cycles", "cycle", "From a prefetch to the first demand for it, over the useful and late.",
                   &C::distance_cycles}};
};
