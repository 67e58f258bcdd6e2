#pragma once

#include <cstdint>
#include <tuple>

#include "core/stats/statistics.h"

namespace lookahead::gpu {

struct MeshCounters {
    std::uint64_t packets = 0;
    std::uint64_t flits = 0;
    std::uint64_t hops = 0;
    std::uint64_t flit_hops = 0;
    std::uint64_t wait_cycles = 0;
    std::uint64_t credit_messages = 0;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::StatisticsOf<lookahead::gpu::MeshCounters> {
    using C = lookahead::gpu::MeshCounters;
    static constexpr auto list = std::tuple{
        Counter<C>{"packets", "packet", "Packets delivered.", &C::packets},
        Counter<C>{"flits", "flit", "Flits delivered.", &C::flits},
        Counter<C>{"hops", "hop", "Links between routers that packets crossed.", &C::hops},
        Counter<C>{"flit_hops", "flit", "Links between routers that flits crossed: cycles in which links were busy.",
                   &C::flit_hops},
        Counter<C>{"wait_cycles", "cycle", "Cycles that packets waited in routers for links, buffers and their turn.",
                   &C::wait_cycles},
        Counter<C>{"credit_messages", "message", "Credits between SMs and slices, which take no room.",
                   &C::credit_messages}};
};
