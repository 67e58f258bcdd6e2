#pragma once

#include <cstdint>

#include "core/param/parameters.h"

namespace lookahead::gpu {

struct CcwsParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, victim_entries, 16, {1, 1024, "tag"},
                        {.help = "Tags of a warp's victim tag array: a multiple of victim_ways.",
                         .source = "Rogers et al., MICRO 2012, configuration of CCWS: 16 for each wavefront"});
    LOOKAHEAD_PARAMETER(std::int64_t, victim_ways, 8, {1, 1024, "tag"},
                        {.help = "Tags of a set of a victim tag array.",
                         .source = "Rogers et al., configuration of CCWS: 8-way"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, base_score, 100, {1, 1'000'000, "cycle"},
        {.help = "Least score of a warp; times the resident warps it is the cutoff of the sum of scores.",
         .source = "Rogers et al., configuration of CCWS: 100"});
    LOOKAHEAD_PARAMETER(std::int64_t, throttle, 8, {0, 1000, "cutoff"},
                        {.help = "K of the score that a warp gets for lost locality: hits / instructions * K * cutoff.",
                         .source = "Rogers et al., configuration of CCWS: K = 8"});
    LOOKAHEAD_PARAMETER(
        std::int64_t, score_limit, 1, {0, 1'000'000, "cutoff"},
        {.help = "A score's most; 0: none.",
         .source = "choice: at one cutoff a warp is alone already, and a counter is no wider than it must be"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
