#pragma once

#include <cstdint>

#include "core/param/parameters.h"

namespace lookahead::gpu {

struct CcwsParameters {
    std::int64_t victim_entries = 16;
    std::int64_t victim_ways = 8;
    std::int64_t base_score = 100;
    std::int64_t throttle = 8;
    std::int64_t score_limit = 1;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::ParametersOf<lookahead::gpu::CcwsParameters> {
    using P = lookahead::gpu::CcwsParameters;
    inline static const auto list = parameter_list<P>(
        integer("victim_entries", &P::victim_entries, {1, 1024, "tag"},
                {.help = "Tags of a warp's victim tag array: a multiple of victim_ways.",
                 .source = "Rogers et al., MICRO 2012, configuration of CCWS: 16 for each wavefront"}),
        integer(
            "victim_ways", &P::victim_ways, {1, 1024, "tag"},
            {.help = "Tags of a set of a victim tag array.", .source = "Rogers et al., configuration of CCWS: 8-way"}),
        integer("base_score", &P::base_score, {1, 1'000'000, "cycle"},
                {.help = "Least score of a warp; times the resident warps it is the cutoff of the sum of scores.",
                 .source = "Rogers et al., configuration of CCWS: 100"}),
        integer("throttle", &P::throttle, {0, 1000, "cutoff"},
                {.help = "K of the score that a warp gets for lost locality: hits / instructions * K * cutoff.",
                 .source = "Rogers et al., configuration of CCWS: K = 8"}),
        integer(
            "score_limit", &P::score_limit, {0, 1'000'000, "cutoff"},
            {.help = "A score's most; 0: none.",
             .source = "choice: at one cutoff a warp is alone already, and a counter is no wider than it must be"}));
};
