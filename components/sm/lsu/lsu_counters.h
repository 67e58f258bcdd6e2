#pragma once

#include <cstdint>

#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// Why the oldest instruction of the load/store unit waits, besides L1's reservation failures.
enum class LsuStall : std::uint8_t { load_table_full, acquire, release, constant_cache, count };
inline constexpr std::size_t kLsuStalls = static_cast<std::size_t>(LsuStall::count);

struct LsuCounters {
    LOOKAHEAD_COUNTER(loads, "instruction", "Warp loads.");
    LOOKAHEAD_COUNTER(stores, "instruction", "Warp stores.");
    LOOKAHEAD_COUNTER(atomics, "instruction", "Warp atomics with a result.");
    LOOKAHEAD_COUNTER(reductions, "instruction", "Warp atomics without a result.");
    LOOKAHEAD_COUNTER(fences, "instruction", "Fences.");
    LOOKAHEAD_COUNTER(global_accesses, "access", "Lines that warp instructions accessed in L1, coalesced.");
    LOOKAHEAD_COUNTER(shared_accesses, "instruction", "Warp instructions that accessed shared memory.");
    LOOKAHEAD_COUNTER(shared_conflict_cycles, "cycle", "Cycles that bank conflicts added.");
    LOOKAHEAD_COUNTER(
        global_conflict_cycles, "cycle",
        "Cycles that bank conflicts added to loads of several lines a cycle (coalescing.lines_per_cycle).");
    LOOKAHEAD_COUNTER(constant_loads, "instruction", "Warp loads that the constant cache served.");
    LOOKAHEAD_COUNTER(constant_passes, "access",
                      "Accesses of these loads to the constant cache: one for each word that lanes request.");
    LOOKAHEAD_COUNTER(constant_fills, "line", "Lines of variables and parameters that the constant cache received.");
    LOOKAHEAD_COUNTER(load_cycles, "cycle", "From acceptance to completion, over all loads and atomics.");
    LOOKAHEAD_COUNTER(completed_loads, "instruction", "Loads and atomics with a result that completed.");
    LOOKAHEAD_COUNTER(pre_loads, "instruction", "Warp loads that only bring their lines into L1.");
    LOOKAHEAD_COUNTER(pre_load_unmapped, "lane", "Lanes of pre-loads whose address the program may not access.");
    LOOKAHEAD_COUNTER(pre_load_drops, "access", "Accesses of pre-loads for which L1 had no MSHR or no line.");
    LOOKAHEAD_COUNTERS(stall_cycles, kLsuStalls,
                       {"stall_load_table_full", "cycle", "Cycles in which a load found no entry for itself."},
                       {"stall_acquire", "cycle", "Cycles in which an access waited for an acquire of its context."},
                       {"stall_release", "cycle",
                        "Cycles in which a release waited for earlier accesses of its context."},
                       {"stall_constant_cache", "cycle",
                        "Cycles in which an access found no room to wait for its line of the constant cache."});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
