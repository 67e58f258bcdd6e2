#pragma once

#include <cstdint>
#include <tuple>

#include "core/stats/statistics.h"

namespace lookahead::gpu {

struct InjectionCounters {
    std::uint64_t packets = 0;
    std::uint64_t flits = 0;
    std::uint64_t wait_cycles = 0;
    std::uint64_t blocked_packets = 0;
    std::uint64_t blocked_cycles = 0;
};

struct EjectionCounters {
    std::uint64_t packets = 0;
    std::uint64_t flits = 0;
    std::uint64_t wait_cycles = 0;
    std::uint64_t credit_messages = 0;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::StatisticsOf<lookahead::gpu::InjectionCounters> {
    using C = lookahead::gpu::InjectionCounters;
    static constexpr auto list =
        std::tuple{Counter<C>{"packets", "packet", "Packets sent into the crossbar.", &C::packets},
                   Counter<C>{"flits", "flit", "Flits sent: cycles in which the port was busy.", &C::flits},
                   Counter<C>{"wait_cycles", "cycle",
                              "Cycles from a packet's readiness to its first flit, over all packets.", &C::wait_cycles},
                   Counter<C>{"blocked_packets", "packet",
                              "Packets that waited in the queue for credits, their own or those of "
                              "an earlier packet.",
                              &C::blocked_packets},
                   Counter<C>{"blocked_cycles", "cycle", "Cycles in which the packet at the head had no credits.",
                              &C::blocked_cycles}};
};

template <>
struct lookahead::StatisticsOf<lookahead::gpu::EjectionCounters> {
    using C = lookahead::gpu::EjectionCounters;
    static constexpr auto list = std::tuple{
        Counter<C>{"packets", "packet", "Packets taken from the crossbar.", &C::packets},
        Counter<C>{"flits", "flit", "Flits taken: cycles in which the port was busy.", &C::flits},
        Counter<C>{"wait_cycles", "cycle", "Cycles from a packet's arrival until its owner takes it, over all packets.",
                   &C::wait_cycles},
        Counter<C>{"credit_messages", "message", "Messages that returned credits.", &C::credit_messages}};
};
