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
    LOOKAHEAD_COUNTER(requested, "line", "Prefetches that the prefetcher chose.");
    LOOKAHEAD_COUNTER(
        duplicates, "line",
        "Of these, lines that were present, under way or queued already, or that a demand load fetched first.");
    LOOKAHEAD_COUNTER(unmapped, "line", "Of these, addresses that are not allocated.");
    LOOKAHEAD_COUNTER(dropped, "line", "Of these, requests that found the queue full.");
    LOOKAHEAD_COUNTER(cleared, "line", "Of these, requests that the kernel's end took from the queue.");
    LOOKAHEAD_COUNTER(queued, "line", "Of these, requests that are in the queue at the moment.");
    LOOKAHEAD_COUNTER(issued, "line", "Prefetches that went to memory.");
    LOOKAHEAD_COUNTER(useful, "line", "Of the issued, lines that a demand load found in L1.");
    LOOKAHEAD_COUNTER(late, "line", "Of the issued, lines that a demand load asked for while they were under way.");
    LOOKAHEAD_COUNTER(early_evicted, "line", "Of the issued, lines that made room for others before they were used.");
    LOOKAHEAD_COUNTER(evicted_by_prefetch, "line", "Of the early evicted, those that made room for prefetches.");
    LOOKAHEAD_COUNTER(
        unused, "line",
        "Of the issued, lines that the kernel's end, a store, a fence or an atomic took before they were used.");
    LOOKAHEAD_COUNTER(outstanding, "line", "Of the issued, lines under way or in L1, not used so far.");
    LOOKAHEAD_COUNTER(
        matched, "line",
        "Of the useful and the late, those that the very load and warp used for which they were fetched.");
    LOOKAHEAD_COUNTER(meant, "line", "Of the issued, those for a warp that the prefetcher named.");
    LOOKAHEAD_COUNTER(
        address_right, "line",
        "Of these, lines that this warp's load went to afterwards, whatever had become of the line by then.");
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
    LOOKAHEAD_COUNTER(useful, "line", "Of these, lines that a demand load found in L1.");
    LOOKAHEAD_COUNTER(late, "line", "Of these, lines that a demand load asked for while they were under way.");
    LOOKAHEAD_COUNTER(early_evicted, "line", "Of these, lines that made room for others before they were used.");
    LOOKAHEAD_COUNTER(unused, "line", "Of these, lines that were dropped before they were used.");
    LOOKAHEAD_COUNTER(matched, "line", "Of these, lines that this load and the warp for which they were fetched used.");
    LOOKAHEAD_COUNTER(distance_cycles, "cycle",
                      "From a prefetch to the first demand for it, over the useful and late.");
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
