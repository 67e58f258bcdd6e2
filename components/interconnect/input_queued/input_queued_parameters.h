#pragma once

#include "core/param/parameters.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The input-queued crossbar between SMs and L2 slices, one of requests and one of replies. Cycles are the network's;
/// flits and the ports of SMs and slices are those of CrossbarParameters.
struct InputQueuedParameters {
    LOOKAHEAD_PARAMETER(Cycle, delivery_latency, 32, {1, 10000, "cycle"},
                        {.help = "Latency from the crossbar to an SM or slice: a part of the fixed latency, and the "
                                 "crossbar's lookahead to its neighbours.",
                         .source = "a choice: take as much from crossbar.request_latency and reply_latency"});
    LOOKAHEAD_PARAMETER(
        Cycle, allocation_cycles, 0, {0, 100, "cycle"},
        {.help = "Cycles between a packet's tail and the next packet's head, at an input and at an output.",
         .source = "0: a packet gets its output while the one before it leaves. BookSim's router with one virtual "
                   "channel takes a cycle (internal_speedup 1)"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
