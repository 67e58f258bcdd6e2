#pragma once

#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// Counts of one SM's CAPS tables.
struct CapsCounters {
    LOOKAHEAD_COUNTER(
        table_accesses, "access",
        "Look-ups of PerCTA and DIST together by a load, of another CTA's PerCTA in a walk, and entries written.");
    LOOKAHEAD_COUNTER(bases, "load", "Loads that registered a base: their warps lead their CTAs.");
    LOOKAHEAD_COUNTER(rebases, "load", "Loads of a leading warp that moved its CTA's base.");
    LOOKAHEAD_COUNTER(strides, "load", "Strides found.");
    LOOKAHEAD_COUNTER(disagreements, "load", "Pairs of warps whose accesses have no one whole stride.");
    LOOKAHEAD_COUNTER(stride_after_base, "load", "Strides found that set off prefetches for bases known before.");
    LOOKAHEAD_COUNTER(base_after_stride, "load", "Bases that set off prefetches for their CTA at once.");
    LOOKAHEAD_COUNTER(predictions, "load", "Loads that were compared with their prediction.");
    LOOKAHEAD_COUNTER(mispredictions, "load", "Part of predictions: loads that went to another address.");
    LOOKAHEAD_COUNTER(shut_off, "CTA", "Sets of prefetches for a CTA that too many mispredictions forbade.");
    LOOKAHEAD_COUNTER(repeated, "CTA",
                      "Sets of prefetches for a CTA that a stride found again would have asked for once more.");
    LOOKAHEAD_COUNTER(executed, "line",
                      "Lines of warps that had executed the load already when its base or stride became known.");
    LOOKAHEAD_COUNTER(indirect, "load", "Executions of loads whose address comes from data.");
    LOOKAHEAD_COUNTER(uncoalesced, "load", "Executions of direct loads with more than four accesses.");
    LOOKAHEAD_COUNTER(untargeted, "load",
                      "Executions of loads that came too late to be followed (caps.targets = first).");
    LOOKAHEAD_COUNTER(cta_strides, "load",
                      "Bases of a load whose distance from the base registered before on this SM, another CTA's, has a "
                      "distance before it to be compared with.");
    LOOKAHEAD_COUNTER(cta_strides_repeated, "load",
                      "Part of cta_strides: bases that were as far apart as the two before.");
    LOOKAHEAD_COUNTER(wakeups, "warp", "Warps whose scheduler was told of their prefetched line.");
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
