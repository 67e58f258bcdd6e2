#pragma once

#include <cstdint>

#include "core/param/parameters.h"

namespace lookahead::gpu {

/// `prefetch.*`: parameters of all prefetchers.
struct PrefetchParameters {
    LOOKAHEAD_PARAMETER(
        std::int64_t, queue, 64, {1, 4096, "request"},
        {.help = "Prefetches that wait until L1 has no demand access; one more is dropped.",
         .source = "estimate: one for each of Fermi's 48 warps, rounded up to a power of two; the papers do not say"});
    LOOKAHEAD_PARAMETER(std::int64_t, spare_entries, 1, {0, 4096, "entry"},
                        {.help = "MSHRs, and places of the miss queue, that a prefetch leaves free for demand "
                                 "accesses; l1d.speculative_mshrs bounds it too.",
                         .source = "estimate: the one that the next access needs"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
