#pragma once

#include <array>
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
    pending_store,  ///< a store to local memory waits for a fill, whose waiters are to see older stores and not this
    count
};

inline constexpr std::size_t kClients = static_cast<std::size_t>(Client::count);
inline std::size_t client_index(Client client) {
    return static_cast<std::size_t>(client);
}
inline constexpr std::size_t kReservationFailures = static_cast<std::size_t>(ReservationFailure::count);

/// Loads by client and outcome (accesses = hits + merges + misses), stores, and what became of lines and fills.
struct L1Counters {
    std::array<std::uint64_t, kClients> hits{};
    std::array<std::uint64_t, kClients> merges{};
    std::array<std::uint64_t, kClients> misses{};
    std::uint64_t sector_misses = 0;
    std::uint64_t ordered_loads = 0;
    std::uint64_t stores = 0;
    std::uint64_t store_hits = 0;
    std::uint64_t merged_stores = 0;
    std::uint64_t atomics = 0;
    std::uint64_t fills = 0;
    std::uint64_t detached_fills = 0;
    std::uint64_t evictions = 0;
    std::uint64_t invalidations = 0;
    std::uint64_t generations = 0;
    std::uint64_t local_hits = 0;
    std::uint64_t local_misses = 0;
    std::uint64_t local_stores = 0;
    std::uint64_t local_store_hits = 0;
    std::uint64_t store_fetches = 0;
    std::uint64_t dirtied_bytes = 0;
    std::uint64_t write_backs = 0;
    std::uint64_t written_back_bytes = 0;
    std::uint64_t discarded_bytes = 0;
    std::array<std::uint64_t, kReservationFailures> failure_cycles{};
};

}  // namespace lookahead::gpu

template <>
struct lookahead::StatisticsOf<lookahead::gpu::L1Counters> {
    using C = lookahead::gpu::L1Counters;
    static constexpr std::size_t kClients = lookahead::gpu::kClients;
    static constexpr std::tuple list{
        CounterArray<C, kClients>{
            &C::hits,
            {{{"hits_demand", "access", "Loads that found their line."},
              {"hits_prefetch", "access", "Prefetches whose line was there."},
              {"hits_pre_load", "access", "Pre-loads that found their line."},
              {"hits_affine_expansion", "access", "Expanded affine loads that found their line."}}}},
        CounterArray<C, kClients>{
            &C::merges,
            {{{"merges_demand", "access", "Loads that joined a fill under way (pending hits)."},
              {"merges_prefetch", "access", "Prefetches whose line was under way."},
              {"merges_pre_load", "access", "Pre-loads that joined a fill under way."},
              {"merges_affine_expansion", "access", "Expanded affine loads that joined a fill under way."}}}},
        CounterArray<C, kClients>{
            &C::misses,
            {{{"misses_demand", "access", "Loads that asked L2 for a line or sectors of one."},
              {"misses_prefetch", "access", "Prefetches that asked L2 for a line."},
              {"misses_pre_load", "access", "Pre-loads that asked L2 for a line."},
              {"misses_affine_expansion", "access", "Expanded affine loads that asked L2 for a line."}}}},
        Counter<C>{"sector_misses", "access",
                   "Loads whose line was there, or under way, without their sectors; they are among the misses.",
                   &C::sector_misses},
        Counter<C>{"ordered_loads", "access", "Volatile and stronger loads; they are among the misses.",
                   &C::ordered_loads},
        Counter<C>{"stores", "access", "Stores.", &C::stores},
        Counter<C>{"store_hits", "access", "Stores that found a copy of their line.", &C::store_hits},
        Counter<C>{"merged_stores", "access", "Stores that were merged into a fill under way.", &C::merged_stores},
        Counter<C>{"atomics", "access", "Atomics and reductions.", &C::atomics},
        Counter<C>{"fills", "line", "Replies of L2 to loads.", &C::fills},
        Counter<C>{"detached_fills", "line", "Fills that were not installed, poisoned or ordered.", &C::detached_fills},
        Counter<C>{"evictions", "line", "Lines that made room for others.", &C::evictions},
        Counter<C>{"invalidations", "line",
                   "Lines or sectors dropped for stores, atomics, ordered loads and generations.", &C::invalidations},
        Counter<C>{"generations", "", "Times that fences, acquires and kernels emptied the cache.", &C::generations},
        Counter<C>{"local_hits", "access", "Loads of local memory among the hits.", &C::local_hits},
        Counter<C>{"local_misses", "access", "Loads of local memory among the misses.", &C::local_misses},
        Counter<C>{"local_stores", "access", "Stores to local memory among the stores.", &C::local_stores},
        Counter<C>{"local_store_hits", "access", "Those of them that stayed in a line that was there.",
                   &C::local_store_hits},
        Counter<C>{"store_fetches", "line", "Lines, or sectors of one, that a store to a part of them asked L2 for.",
                   &C::store_fetches},
        Counter<C>{"dirtied_bytes", "byte", "Bytes of local memory that came to be newer in L1 than in L2.",
                   &C::dirtied_bytes},
        Counter<C>{"write_backs", "line", "Dirty lines of which L2 got the bytes.", &C::write_backs},
        Counter<C>{"written_back_bytes", "byte", "Dirty bytes that went to L2.", &C::written_back_bytes},
        Counter<C>{"discarded_bytes", "byte", "Dirty bytes of threads that had ended, dropped when a kernel began.",
                   &C::discarded_bytes},
        CounterArray<C, lookahead::gpu::kReservationFailures>{
            &C::failure_cycles,
            {{{"failure_no_mshr", "cycle", "Cycles in which an access found no free MSHR."},
              {"failure_merge_limit", "cycle", "Cycles in which an access found a fill's list full."},
              {"failure_no_line", "cycle", "Cycles in which all lines of the set were pending or pinned."},
              {"failure_miss_queue_full", "cycle", "Cycles in which the miss queue was full."},
              {"failure_write_back", "cycle",
               "Cycles in which the bytes of a line that made room had taken the last place in the miss queue."},
              {"failure_pending_store", "cycle",
               "Cycles in which a store to local memory waited for a fill that older stores are merged into."}}}}};
};
