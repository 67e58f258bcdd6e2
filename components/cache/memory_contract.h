#pragma once

namespace lookahead::gpu {

/// The clauses of the memory contract (TRANSITIONS.md) that stand in code. The L1 and the load/store unit are
/// templates over them; the simulator uses this struct, in which all hold, and the compiler leaves no trace of it.
/// Mutation tests derive from it and take one clause away, and the suite must notice.
struct MemoryContract {
    static constexpr bool store_detaches_pending_fill = true;     ///< write_evict
    static constexpr bool store_evicts_copy = true;               ///< write_evict
    static constexpr bool store_merges_into_pending_fill = true;  ///< write_through: else the store is forgotten there
    static constexpr bool store_updates_copy = true;              ///< write_through
    static constexpr bool merged_stores_keep_their_place = true;  ///< older waiters do not see younger stores
    static constexpr bool atomic_detaches_pending_fill = true;
    static constexpr bool atomic_evicts_copy = true;
    static constexpr bool ordered_load_bypasses = true;  ///< misses though a copy is there
    static constexpr bool ordered_load_never_joins = true;
    static constexpr bool generation_drops_copies = true;
    static constexpr bool generation_detaches_fills = true;       ///< else stale fills are installed
    static constexpr bool hit_needs_its_sectors = true;           ///< else a line with any valid sector hits
    static constexpr bool detached_sectors_stay_out = true;       ///< of a fill whose other sectors are installed
    static constexpr bool local_store_marks_its_bytes = true;     ///< write_back: as dirty; else eviction forgets them
    static constexpr bool eviction_writes_back = true;            ///< write_back
    static constexpr bool write_back_carries_dirty_bytes = true;  ///< and no others; else the whole line
    static constexpr bool partial_hit_needs_its_bytes = true;     ///< else any dirty byte makes a hit
    static constexpr bool fill_keeps_dirty_bytes = true;          ///< else the reply overwrites them
    static constexpr bool local_store_detaches_pending_fill = true;  ///< else its older waiters see the store
    static constexpr bool local_store_waits_for_dirty_fill = true;   ///< else older waiters miss stores before them
    static constexpr bool generation_keeps_local_lines = true;       ///< else fences lose dirty bytes
    static constexpr bool fence_waits_for_stores = true;
    static constexpr bool fence_waits_for_loads = true;
    static constexpr bool fence_covers_queued_accesses = true;
    static constexpr bool fence_starts_generation_at_its_end = true;
    static constexpr bool release_waits = true;
    static constexpr bool acquire_starts_generation = true;
    static constexpr bool acquire_holds_younger_accesses = true;
};

}  // namespace lookahead::gpu
