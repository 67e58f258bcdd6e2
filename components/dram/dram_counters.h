#pragma once

#include "core/stats/statistics.h"

namespace lookahead::gpu {

struct DramCounters {
    LOOKAHEAD_COUNTER(reads, "request", "Lines read.");
    LOOKAHEAD_COUNTER(writes, "request", "Lines written.");
    LOOKAHEAD_COUNTER(row_hits, "request", "Requests whose row was open when their bank took them.");
    LOOKAHEAD_COUNTER(row_misses, "request", "Requests whose bank had no row open.");
    LOOKAHEAD_COUNTER(row_conflicts, "request", "Requests whose bank had another row open.");
    LOOKAHEAD_COUNTER(activates, "command", "Activate commands.");
    LOOKAHEAD_COUNTER(precharges, "command", "Precharge commands.");
    LOOKAHEAD_COUNTER(refreshes, "command", "All-bank refreshes, counted when a command follows.");
    LOOKAHEAD_COUNTER(data_bus_cycles, "DRAM cycle",
                      "Cycles of data on the bus; over the elapsed cycles this is its utilisation.");
    LOOKAHEAD_COUNTER(read_wait_cycles, "DRAM cycle",
                      "Cycles from a read's entering the queue to a bank's taking it, over all reads.");
    LOOKAHEAD_COUNTER(read_service_cycles, "DRAM cycle",
                      "Cycles from a bank's taking a read to the end of its data, over all reads.");
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
