#pragma once

#include <cstdint>
#include <tuple>

#include "core/stats/statistics.h"

namespace lookahead::cae {

struct CaeCounters {
    std::uint64_t instructions = 0;
    std::uint64_t of_scalars = 0;
    std::uint64_t multiplications = 0;
    std::uint64_t threads = 0;
    std::uint64_t expansions = 0;
    std::uint64_t divergent = 0;
};

}  // namespace lookahead::cae

template <>
struct lookahead::StatisticsOf<lookahead::cae::CaeCounters> {
    using C = lookahead::cae::CaeCounters;
    static constexpr std::tuple list{
        Counter<C>{"instructions", "instruction", "Instructions of warps that the affine units executed.",
                   &C::instructions},
        Counter<C>{"of_scalars", "instruction", "Of these, those whose operands were the same for all threads.",
                   &C::of_scalars},
        Counter<C>{"multiplications", "instruction", "Of all of them, products, with a sum or without.",
                   &C::multiplications},
        Counter<C>{"threads", "thread instruction",
                   "Threads for which they executed: lanes and registers that were spared.", &C::threads},
        Counter<C>{
            "expansions", "tuple",
            "Tuples that were expanded on the SIMT lanes, as some of a warp's threads were to write their register.",
            &C::expansions},
        Counter<C>{"divergent", "instruction",
                   "Instructions on tuples that the lanes executed, as some of the warp's threads did not take part.",
                   &C::divergent}};
};
