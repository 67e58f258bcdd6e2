#pragma once

#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// Counts of one CCWS scheduler. victim_hits <= probes; held_back <= withholding <= picks.
struct CcwsCounters {
    LOOKAHEAD_COUNTER(insertions, "line", "Evicted lines that entered a victim tag array.");
    LOOKAHEAD_COUNTER(probes, "access",
                      "Demand loads that missed in L1 and looked their line up among their warp's victims.");
    LOOKAHEAD_COUNTER(victim_hits, "access", "Part of probes: lines that the array had, which is lost locality.");
    LOOKAHEAD_COUNTER(picks, "cycle", "Cycles in which the scheduler had a candidate.");
    LOOKAHEAD_COUNTER(withholding, "cycle", "Part of picks: cycles in which it withheld the load of a candidate.");
    LOOKAHEAD_COUNTER(withheld_loads, "warp", "Candidates whose load was withheld, over all cycles.");
    LOOKAHEAD_COUNTER(held_back, "cycle", "Part of withholding: cycles in which nothing issued for that reason.");
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
