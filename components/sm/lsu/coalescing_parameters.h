#pragma once

#include <cstdint>

#include "core/param/parameters.h"

namespace lookahead::gpu {

/// `coalescing.*`: of the variant "coalescing".
struct CoalescingParameters {
    std::int64_t queue = 8;
    std::int64_t pending_loads = 256;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::ParametersOf<lookahead::gpu::CoalescingParameters> {
    using P = lookahead::gpu::CoalescingParameters;
    inline static const auto list = parameter_list<P>(
        integer("queue", &P::queue,
                {.unit = "instruction",
                 .min = 1,
                 .max = 256,
                 .help = "Memory instructions between their issue and their last access, on their way "
                         "through operand collection too (a latch, two collectors, a latch)."}),
        integer("pending_loads", &P::pending_loads,
                {.unit = "instruction",
                 .min = 1,
                 .max = 65536,
                 .help = "Loads and atomics between their first access and their completion."}));
};
