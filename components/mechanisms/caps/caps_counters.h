#pragma once

#include <cstdint>

#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// Counts of one SM's CAPS tables.
struct CapsCounters {
    std::uint64_t table_accesses = 0;
    std::uint64_t bases = 0;
    std::uint64_t rebases = 0;
    std::uint64_t strides = 0;
    std::uint64_t disagreements = 0;
    std::uint64_t stride_after_base = 0;
    std::uint64_t base_after_stride = 0;
    std::uint64_t predictions = 0;
    std::uint64_t mispredictions = 0;
    std::uint64_t shut_off = 0;
    std::uint64_t repeated = 0;
    std::uint64_t executed = 0;
    std::uint64_t indirect = 0;
    std::uint64_t uncoalesced = 0;
    std::uint64_t untargeted = 0;
    std::uint64_t cta_strides = 0;
    std::uint64_t cta_strides_repeated = 0;
    std::uint64_t wakeups = 0;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::StatisticsOf<lookahead::gpu::CapsCounters> {
    using C = lookahead::gpu::CapsCounters;
    static constexpr std::tuple list{
        Counter<C>{"table_accesses", "access",
                   "Look-ups of PerCTA and DIST together by a load, of another CTA's PerCTA in a walk, and entries "
                   "written.",
                   &C::table_accesses},
        Counter<C>{"bases", "load", "Loads that registered a base: their warps lead their CTAs.", &C::bases},
        Counter<C>{"rebases", "load", "Loads of a leading warp that moved its CTA's base.", &C::rebases},
        Counter<C>{"strides", "load", "Strides found.", &C::strides},
        Counter<C>{"disagreements", "load", "Pairs of warps whose accesses have no one whole stride.",
                   &C::disagreements},
        Counter<C>{"stride_after_base", "load", "Strides found that set off prefetches for bases known before.",
                   &C::stride_after_base},
        Counter<C>{"base_after_stride", "load", "Bases that set off prefetches for their CTA at once.",
                   &C::base_after_stride},
        Counter<C>{"predictions", "load", "Loads that were compared with their prediction.", &C::predictions},
        Counter<C>{"mispredictions", "load", "Of these, loads elsewhere.", &C::mispredictions},
        Counter<C>{"shut_off", "CTA", "Sets of prefetches for a CTA that too many mispredictions forbade.",
                   &C::shut_off},
        Counter<C>{"repeated", "CTA",
                   "Sets of prefetches for a CTA that a stride found again would have asked for once more.",
                   &C::repeated},
        Counter<C>{"executed", "line",
                   "Lines of warps that had executed the load already when its base or stride became known.",
                   &C::executed},
        Counter<C>{"indirect", "load", "Executions of loads whose address comes from data.", &C::indirect},
        Counter<C>{"uncoalesced", "load", "Executions of direct loads with more than four accesses.", &C::uncoalesced},
        Counter<C>{"untargeted", "load",
                   "Executions of loads that came too late to be followed (caps.targets = first).", &C::untargeted},
        Counter<C>{"cta_strides", "load",
                   "Bases of a load whose distance from the base registered before on this SM, another CTA's, has a "
                   "distance before it to be compared with.",
                   &C::cta_strides},
        Counter<C>{"cta_strides_repeated", "load", "Of these, bases as far apart as the two before.",
                   &C::cta_strides_repeated},
        Counter<C>{"wakeups", "warp", "Warps whose scheduler was told of their prefetched line.", &C::wakeups}};
};
