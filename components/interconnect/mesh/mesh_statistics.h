#pragma once

#include "core/stats/statistics.h"

namespace lookahead::gpu {

struct MeshCounters {
    LOOKAHEAD_COUNTER(packets, "packet", "Packets delivered.");
    LOOKAHEAD_COUNTER(flits, "flit", "Flits delivered.");
    LOOKAHEAD_COUNTER(hops, "hop", "Links between routers that packets crossed.");
    LOOKAHEAD_COUNTER(flit_hops, "flit", "Links between routers that flits crossed: cycles in which links were busy.");
    LOOKAHEAD_COUNTER(wait_cycles, "cycle", "Cycles that packets waited in routers for links, buffers and their turn.");
    LOOKAHEAD_COUNTER(credit_messages, "message", "Credits between SMs and slices, which take no room.");
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
