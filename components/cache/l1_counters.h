#pragma once

#include <cstdint>

#include "components/protocols/memory.h"
#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// Why an access to L1 stalls.
enum class ReservationFailure : std::uint8_t {
    no_mshr,
    merge_limit,
    no_line,
    miss_queue_full,
    write_back,     ///< the place in the miss queue went to the bytes of a line that makes room
    pending_store,  ///< a store to local memory waits for a fill whose waiters must see older stores but not this one
    count
};

inline constexpr std::size_t kClients = static_cast<std::size_t>(Client::count);
inline std::size_t client_index(Client client) {
    return static_cast<std::size_t>(client);
}
inline constexpr std::size_t kReservationFailures = static_cast<std::size_t>(ReservationFailure::count);

/// Counts loads by client and outcome (accesses = hits + merges + misses), stores, and the fates of lines and fills.
struct L1Counters {
    static constexpr std::size_t kClients = lookahead::gpu::kClients;

    LOOKAHEAD_COUNTERS(hits, kClients, {"hits_demand", "access", "Loads that found their line."},
                       {"hits_prefetch", "access", "Prefetches whose line was present."},
                       {"hits_pre_load", "access", "Pre-loads that found their line."},
                       {"hits_affine_expansion", "access", "Expanded affine loads that found their line."});
    LOOKAHEAD_COUNTERS(merges, kClients,
                       {"merges_demand", "access", "Loads that joined a fill under way (pending hits)."},
                       {"merges_prefetch", "access", "Prefetches whose line was under way."},
                       {"merges_pre_load", "access", "Pre-loads that joined a fill under way."},
                       {"merges_affine_expansion", "access", "Expanded affine loads that joined a fill under way."});
    LOOKAHEAD_COUNTERS(misses, kClients,
                       {"misses_demand", "access", "Loads that requested a line, or sectors of one, from L2."},
                       {"misses_prefetch", "access", "Prefetches that requested a line from L2."},
                       {"misses_pre_load", "access", "Pre-loads that requested a line from L2."},
                       {"misses_affine_expansion", "access", "Expanded affine loads that requested a line from L2."});
    LOOKAHEAD_COUNTER(sector_misses, "access",
                      "Loads whose line was present or under way, but not their sectors; included in the misses.");
    LOOKAHEAD_COUNTER(ordered_loads, "access", "Volatile and stronger loads; included in the misses.");
    LOOKAHEAD_COUNTER(stores, "access", "Stores.");
    LOOKAHEAD_COUNTER(store_hits, "access", "Stores that found a copy of their line.");
    LOOKAHEAD_COUNTER(merged_stores, "access", "Stores that were merged into a fill under way.");
    LOOKAHEAD_COUNTER(atomics, "access", "Atomics and reductions.");
    LOOKAHEAD_COUNTER(fills, "line", "Replies of L2 to loads.");
    LOOKAHEAD_COUNTER(detached_fills, "line", "Fills that were poisoned or ordered and therefore not installed.");
    LOOKAHEAD_COUNTER(evictions, "line", "Lines evicted to make room for others.");
    LOOKAHEAD_COUNTER(invalidations, "line",
                      "Lines or sectors invalidated by stores, atomics, ordered loads and generations.");
    LOOKAHEAD_COUNTER(generations, "", "Times that fences, acquires and kernels emptied the cache.");
    LOOKAHEAD_COUNTER(local_hits, "access", "Loads from local memory among the hits.");
    LOOKAHEAD_COUNTER(local_misses, "access", "Loads from local memory among the misses.");
    LOOKAHEAD_COUNTER(local_stores, "access", "Stores to local memory among the stores.");
    LOOKAHEAD_COUNTER(local_store_hits, "access",
                      "Stores to local memory whose line was present and kept their bytes.");
    LOOKAHEAD_COUNTER(store_fetches, "line",
                      "Lines, or sectors of one, requested from L2 for a store to a part of them.");
    LOOKAHEAD_COUNTER(dirtied_bytes, "byte", "Bytes of local memory that became newer in L1 than in L2.");
    LOOKAHEAD_COUNTER(write_backs, "line", "Dirty lines whose bytes went to L2.");
    LOOKAHEAD_COUNTER(written_back_bytes, "byte", "Dirty bytes that went to L2.");
    LOOKAHEAD_COUNTER(discarded_bytes, "byte", "Dirty bytes of threads that had ended, dropped when a kernel began.");
    LOOKAHEAD_COUNTERS(failure_cycles, kReservationFailures,
                       {"failure_no_mshr", "cycle", "Cycles in which an access found no free MSHR."},
                       {"failure_merge_limit", "cycle",
                        "Cycles in which an access found its fill's list of waiting accesses full."},
                       {"failure_no_line", "cycle", "Cycles in which all lines of the set were pending or pinned."},
                       {"failure_miss_queue_full", "cycle", "Cycles in which the miss queue was full."},
                       {"failure_write_back", "cycle",
                        "Cycles in which the bytes of an evicted line had taken the last place in the miss queue."},
                       {"failure_pending_store", "cycle",
                        "Cycles in which a store to local memory waited for a fill with merged older stores."});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
