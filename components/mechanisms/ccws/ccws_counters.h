#pragma once

#include <cstdint>

#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// Counts of one CCWS scheduler. victim_hits <= probes; held_back <= withholding <= picks.
struct CcwsCounters {
    std::uint64_t insertions = 0;
    std::uint64_t probes = 0;
    std::uint64_t victim_hits = 0;
    std::uint64_t picks = 0;
    std::uint64_t withholding = 0;
    std::uint64_t withheld_loads = 0;
    std::uint64_t held_back = 0;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::StatisticsOf<lookahead::gpu::CcwsCounters> {
    using C = lookahead::gpu::CcwsCounters;
    static constexpr std::tuple list{
        Counter<C>{"insertions", "line", "Evicted lines that entered a victim tag array.", &C::insertions},
        Counter<C>{"probes", "access",
                   "Demand loads that missed in L1 and looked their line up among their warp's victims.", &C::probes},
        Counter<C>{"victim_hits", "access", "Of these, lines that were there: lost locality.", &C::victim_hits},
        Counter<C>{"picks", "cycle", "Cycles in which the scheduler had a candidate.", &C::picks},
        Counter<C>{"withholding", "cycle", "Of these, cycles in which it withheld the load of a candidate.",
                   &C::withholding},
        Counter<C>{"withheld_loads", "warp", "Candidates whose load was withheld, over all cycles.",
                   &C::withheld_loads},
        Counter<C>{"held_back", "cycle", "Of the cycles of withholding, those in which nothing issued for it.",
                   &C::held_back}};
};
