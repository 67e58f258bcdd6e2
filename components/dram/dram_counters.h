#pragma once

#include <cstdint>
#include <tuple>

#include "core/stats/statistics.h"

namespace lookahead::gpu {

struct DramCounters {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t row_hits = 0;
    std::uint64_t row_misses = 0;
    std::uint64_t row_conflicts = 0;
    std::uint64_t activates = 0;
    std::uint64_t precharges = 0;
    std::uint64_t refreshes = 0;
    std::uint64_t data_bus_cycles = 0;
    std::uint64_t read_wait_cycles = 0;
    std::uint64_t read_service_cycles = 0;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::StatisticsOf<lookahead::gpu::DramCounters> {
    using C = lookahead::gpu::DramCounters;
    static constexpr auto list = std::tuple{
        Counter<C>{"reads", "request", "Lines read.", &C::reads},
        Counter<C>{"writes", "request", "Lines written.", &C::writes},
        Counter<C>{"row_hits", "request", "Requests whose row was open when their bank took them.", &C::row_hits},
        Counter<C>{"row_misses", "request", "Requests whose bank had no row open.", &C::row_misses},
        Counter<C>{"row_conflicts", "request", "Requests whose bank had another row open.", &C::row_conflicts},
        Counter<C>{"activates", "command", "Activate commands.", &C::activates},
        Counter<C>{"precharges", "command", "Precharge commands.", &C::precharges},
        Counter<C>{"refreshes", "command", "All-bank refreshes, counted when a command follows.", &C::refreshes},
        Counter<C>{"data_bus_cycles", "DRAM cycle",
                   "Cycles of data on the bus; over the elapsed cycles this is its utilisation.", &C::data_bus_cycles},
        Counter<C>{"read_wait_cycles", "DRAM cycle",
                   "Cycles from a read's entering the queue to a bank's taking it, "
                   "over all reads.",
                   &C::read_wait_cycles},
        Counter<C>{"read_service_cycles", "DRAM cycle",
                   "Cycles from a bank's taking a read to the end of its data, over all reads.",
                   &C::read_service_cycles}};
};
