#pragma once

#include <tuple>

#include "core/stats/statistics.h"

namespace lookahead::cae {

struct CaeCounters {
    LOOKAHEAD_COUNTER(instructions, "instruction", "Instructions of warps that the affine units executed.");
    LOOKAHEAD_COUNTER(of_scalars, "instruction",
                      "Part of instructions: those whose operands were the same for all threads.");
    LOOKAHEAD_COUNTER(multiplications, "instruction", "Of all of them, products, with a sum or without.");
    LOOKAHEAD_COUNTER(threads, "thread instruction",
                      "Threads for which they executed: lanes and registers that were spared.");
    LOOKAHEAD_COUNTER(
        expansions, "tuple",
        "Tuples that were expanded on the SIMT lanes, as some of a warp's threads were to write their register.");
    LOOKAHEAD_COUNTER(
        divergent, "instruction",
        "Instructions on tuples that the lanes executed, as some of the warp's threads did not take part.");
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::cae
