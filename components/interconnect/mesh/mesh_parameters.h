#pragma once

#include "core/param/parameters.h"
#include "core/time/time.h"

namespace lookahead::gpu {

/// The mesh between SMs and L2 slices, one of requests and one of replies. Cycles are the network's; flits and the
/// ports of SMs and slices are those of CrossbarParameters.
struct MeshParameters {
    LOOKAHEAD_PARAMETER(
        std::int64_t, columns, 0, {0, 4096, "tile"},
        {.help = "Tiles in a row, each with a router and one SM or slice; 0: as near to a square as possible.",
         .source = "a choice: no GPU's floor plan is public"});
    LOOKAHEAD_PARAMETER(Cycle, hop_latency, 2, {1, 1000, "cycle"},
                        {.help = "Cycles of a flit from router to router, without contention.",
                         .source = "Dally and Towles, Principles and Practices of Interconnection Networks, 2004: "
                                   "routers of one to four stages and a cycle of wire"});
    LOOKAHEAD_PARAMETER(std::int64_t, buffer_flits, 32, {1, 4096, "flit"},
                        {.help = "Buffer of a router for each neighbour; at least the largest packet in effect.",
                         .source = "an estimate: eight packets of a line, as a crossbar's input"});
    LOOKAHEAD_PARAMETER(Cycle, delivery_latency, 16, {1, 10000, "cycle"},
                        {.help = "Latency from a flit's last router to its SM or slice: a part of the fixed latency, "
                                 "and the mesh's lookahead to its neighbours.",
                         .source = "a choice: take as much from crossbar.request_latency and reply_latency"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
