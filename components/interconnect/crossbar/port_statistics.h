#pragma once

#include "core/stats/statistics.h"

namespace lookahead::gpu {

struct InjectionCounters {
    LOOKAHEAD_COUNTER(packets, "packet", "Packets sent into the crossbar.");
    LOOKAHEAD_COUNTER(flits, "flit", "Flits sent: cycles in which the port was busy.");
    LOOKAHEAD_COUNTER(wait_cycles, "cycle", "Cycles from a packet's readiness to its first flit, over all packets.");
    LOOKAHEAD_COUNTER(blocked_packets, "packet",
                      "Packets that waited in the queue for credits, their own or those of an earlier packet.");
    LOOKAHEAD_COUNTER(blocked_cycles, "cycle", "Cycles in which the packet at the head had no credits.");
    LOOKAHEAD_ALL_DECLARED;
};

struct EjectionCounters {
    LOOKAHEAD_COUNTER(packets, "packet", "Packets taken from the crossbar.");
    LOOKAHEAD_COUNTER(flits, "flit", "Flits taken: cycles in which the port was busy.");
    LOOKAHEAD_COUNTER(wait_cycles, "cycle",
                      "Cycles from a packet's arrival until its owner takes it, over all packets.");
    LOOKAHEAD_COUNTER(credit_messages, "message", "Messages that returned credits.");
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
