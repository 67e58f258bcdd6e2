#pragma once

#include <cstdint>

#include "components/cache/read_only_cache.h"
#include "core/param/parameters.h"

namespace lookahead::gpu {

/// `constant_cache.*`: an SM's cache of kernel parameters and .const variables, in lines of 64 bytes. Defaults: GTX480.
struct ConstantCacheParameters : ReadOnlyCacheParameters {
    static constexpr std::string_view kTable = "GPGPU-Sim's GTX480 configuration";

    ConstantCacheParameters() {
        sets = 64;
        ways = 2;
    }
    LOOKAHEAD_INHERITED_PARAMETER(
        enabled,
        {.help =
             "false: there is none. Parameters are there from the start, and loads of .const variables go through L1D.",
         .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(sets, {1, 4096, "set"}, {.help = "Sets.", .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(ways, {1, 64, "line"}, {.help = "Lines of 64 bytes in a set.", .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(mshrs, {1, 64, "line"}, {.help = "Lines that it can await.", .source = kTable});
    LOOKAHEAD_INHERITED_PARAMETER(merges, {1, 64, "pass"},
                                  {.help = "Passes of loads that can wait for the same line.", .source = kTable});
    LOOKAHEAD_PARAMETER(
        std::int64_t, hit_latency, 35, {1, 1000, "cycle"},
        {.help = "From the last pass of a load to its value in the registers, on a hit.",
         .source = "estimate: as L1D's, from which Jia et al. 2018 find it to differ by one cycle on Volta"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
