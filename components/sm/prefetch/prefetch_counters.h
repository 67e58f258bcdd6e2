#pragma once

#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// Bins of the histogram of distances from a prefetch to its demand.
inline constexpr std::size_t kDistanceBins = 12;
inline constexpr Histogram<kDistanceBins>::Edges kDistanceEdges = doubling_edges<kDistanceBins>(8);

/// Prefetches of an SM. requested = duplicates + unmapped + dropped + cleared + queued + issued, and
/// issued = useful + late + early_evicted + unused + outstanding.
struct PrefetchCounters {
    LOOKAHEAD_COUNTER(requested, "line", "Prefetches that the prefetcher chose.");
    LOOKAHEAD_COUNTER(duplicates, "line",
                      "Part of requested: lines that were present, under way or queued already, or that a demand load "
                      "fetched first.");
    LOOKAHEAD_COUNTER(unmapped, "line", "Part of requested: addresses that are not allocated.");
    LOOKAHEAD_COUNTER(dropped, "line", "Part of requested: prefetches that found the queue full.");
    LOOKAHEAD_COUNTER(cleared, "line", "Part of requested: prefetches that the kernel's end took from the queue.");
    LOOKAHEAD_COUNTER(queued, "line", "Part of requested: prefetches that are in the queue now.");
    LOOKAHEAD_COUNTER(issued, "line", "Prefetches that went to memory.");
    LOOKAHEAD_COUNTER(useful, "line", "Part of issued: lines that a demand load found in L1.");
    LOOKAHEAD_COUNTER(late, "line", "Part of issued: lines that a demand load asked for while they were under way.");
    LOOKAHEAD_COUNTER(early_evicted, "line", "Part of issued: lines that made room for others before they were used.");
    LOOKAHEAD_COUNTER(evicted_by_prefetch, "line", "Part of early_evicted: lines that made room for prefetches.");
    LOOKAHEAD_COUNTER(
        unused, "line",
        "Part of issued: lines that the kernel's end, a store, a fence or an atomic took before they were used.");
    LOOKAHEAD_COUNTER(outstanding, "line", "Part of issued: lines under way or in L1 that have not been used.");
    LOOKAHEAD_COUNTER(
        matched, "line",
        "Part of useful and late: lines that were used by the load and the warp for which they were fetched.");
    LOOKAHEAD_COUNTER(meant, "line", "Part of issued: lines for a warp that the prefetcher named.");
    LOOKAHEAD_COUNTER(
        address_right, "line",
        "Part of meant: lines that this warp's load accessed afterwards, whether they were still in L1 or not.");
    LOOKAHEAD_COUNTER(distance_cycles, "cycle",
                      "From a prefetch to the first demand for it, over the useful and late.");
    LOOKAHEAD_COUNTER(loads, "instruction", "Warp loads from global memory that the prefetcher saw.");
    LOOKAHEAD_COUNTER(load_accesses, "access", "Their accesses, coalesced: the demand requests.");
    LOOKAHEAD_HISTOGRAM(distance, kDistanceBins, "cycle", "From a prefetch to the first demand for it.",
                        lookahead::gpu::kDistanceEdges);
    LOOKAHEAD_ALL_DECLARED;
};

/// The same counts for one load of one kernel on an SM.
struct PrefetchLoadCounters {
    LOOKAHEAD_COUNTER(executions, "instruction", "Times that a warp executed the load.");
    LOOKAHEAD_COUNTER(accesses, "access", "Its accesses, coalesced.");
    LOOKAHEAD_COUNTER(issued, "line", "Prefetches for this load that went to memory.");
    LOOKAHEAD_COUNTER(useful, "line", "Part of issued: lines that a demand load found in L1.");
    LOOKAHEAD_COUNTER(late, "line", "Part of issued: lines that a demand load asked for while they were under way.");
    LOOKAHEAD_COUNTER(early_evicted, "line", "Part of issued: lines that made room for others before they were used.");
    LOOKAHEAD_COUNTER(unused, "line", "Part of issued: lines that were dropped before they were used.");
    LOOKAHEAD_COUNTER(
        matched, "line",
        "Part of useful and late: lines that were used by the load and the warp for which they were fetched.");
    LOOKAHEAD_COUNTER(distance_cycles, "cycle",
                      "From a prefetch to the first demand for it, over the useful and late.");
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
