#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// Why the oldest instruction of the load/store unit waits, besides L1's reservation failures.
enum class LsuStall : std::uint8_t { load_table_full, acquire, release, constant_cache, count };
inline constexpr std::size_t kLsuStalls = static_cast<std::size_t>(LsuStall::count);

struct LsuCounters {
    std::uint64_t loads = 0;
    std::uint64_t stores = 0;
    std::uint64_t atomics = 0;
    std::uint64_t reductions = 0;
    std::uint64_t fences = 0;
    std::uint64_t global_accesses = 0;
    std::uint64_t shared_accesses = 0;
    std::uint64_t shared_conflict_cycles = 0;
    std::uint64_t global_conflict_cycles = 0;
    std::uint64_t constant_loads = 0;
    std::uint64_t constant_passes = 0;
    std::uint64_t constant_fills = 0;
    std::uint64_t load_cycles = 0;
    std::uint64_t completed_loads = 0;
    std::uint64_t pre_loads = 0;
    std::uint64_t pre_load_unmapped = 0;
    std::uint64_t pre_load_drops = 0;
    std::array<std::uint64_t, kLsuStalls> stall_cycles{};
};

}  // namespace lookahead::gpu

template <>
struct lookahead::StatisticsOf<lookahead::gpu::LsuCounters> {
    using C = lookahead::gpu::LsuCounters;
    static constexpr std::tuple list{
        Counter<C>{"loads", "instruction", "Warp loads.", &C::loads},
        Counter<C>{"stores", "instruction", "Warp stores.", &C::stores},
        Counter<C>{"atomics", "instruction", "Warp atomics with a result.", &C::atomics},
        Counter<C>{"reductions", "instruction", "Warp atomics without a result.", &C::reductions},
        Counter<C>{"fences", "instruction", "Fences.", &C::fences},
        Counter<C>{"global_accesses", "access", "Lines that warp instructions accessed in L1, coalesced.",
                   &C::global_accesses},
        Counter<C>{"shared_accesses", "instruction", "Warp instructions that accessed shared memory.",
                   &C::shared_accesses},
        Counter<C>{"shared_conflict_cycles", "cycle", "Cycles that bank conflicts added.", &C::shared_conflict_cycles},
        Counter<C>{"global_conflict_cycles", "cycle",
                   "Cycles that bank conflicts added to loads of several lines a cycle (coalescing.lines_per_cycle).",
                   &C::global_conflict_cycles},
        Counter<C>{"constant_loads", "instruction", "Warp loads that the constant cache served.", &C::constant_loads},
        Counter<C>{"constant_passes", "access",
                   "Accesses of these to the constant cache: one for each word that lanes ask for.",
                   &C::constant_passes},
        Counter<C>{"constant_fills", "line", "Lines of variables and parameters that came to the constant cache.",
                   &C::constant_fills},
        Counter<C>{"load_cycles", "cycle", "From acceptance to completion, over all loads and atomics.",
                   &C::load_cycles},
        Counter<C>{"completed_loads", "instruction", "Loads and atomics with a result that completed.",
                   &C::completed_loads},
        Counter<C>{"pre_loads", "instruction", "Warp loads that only bring their lines into L1.", &C::pre_loads},
        Counter<C>{"pre_load_unmapped", "lane", "Lanes of these whose address the program may not access.",
                   &C::pre_load_unmapped},
        Counter<C>{"pre_load_drops", "access", "Accesses of these for which L1 had no MSHR or no line.",
                   &C::pre_load_drops},
        CounterArray<C, lookahead::gpu::kLsuStalls>{
            &C::stall_cycles,
            {{{"stall_load_table_full", "cycle", "Cycles in which a load found no entry for itself."},
              {"stall_acquire", "cycle", "Cycles in which an access waited for an acquire of its context."},
              {"stall_release", "cycle", "Cycles in which a release waited for earlier accesses of its context."},
              {"stall_constant_cache", "cycle",
               "Cycles in which an access found no room to wait for its line of the constant cache."}}}}};
};
