#pragma once

#include "core/param/parameters.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The input-queued crossbar between SMs and L2 slices, one of requests and one of replies. Cycles are the network's;
/// flits and the ports of SMs and slices are those of CrossbarParameters.
struct InputQueuedParameters {
    LOOKAHEAD_PARAMETER(
        Cycle, delivery_latency, 32, {1, 10000, "cycle"},
        {.help = "Latency from the crossbar to an SM or slice: a part of the fixed latency, and the crossbar's "
                 "lookahead to its neighbours.",
         .source = "a choice: take as much from crossbar.request_latency and reply_latency"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
