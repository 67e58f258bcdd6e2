#pragma once

#include <cstdint>

#include "core/param/parameters.h"

namespace lookahead::gpu {

struct BatchParameters {
    std::int64_t entries = 4;
    std::int64_t requests = 16;
    std::int64_t store_entries = 16;
    std::int64_t age = 16;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::ParametersOf<lookahead::gpu::BatchParameters> {
    using P = lookahead::gpu::BatchParameters;
    inline static const auto list = parameter_list<P>(
        integer("entries", &P::entries, {1, 64, "batch"},
                {.help = "Batches that the unit holds, those that leave included.",
                 .source = "Crago et al., TACO 2018, table 1: 4 entries"}),
        integer("requests", &P::requests, {1, 64, "request"},
                {.help = "Requests of a batch.", .source = "choice: the 16 lines of the table's DRAM row of 2 KB"}),
        integer("store_entries", &P::store_entries, {1, 1024, "request"},
                {.help = "Stores and atomics, whose data are held beside the batches.",
                 .source = "Crago et al., table 1: 16-entry store data buffer"}),
        integer("age", &P::age, {1, 4096, "cycle"},
                {.help = "SM cycles after its first request in which a batch leaves, full or not.",
                 .source = "choice: one request a cycle fills a batch in as many; the paper does not say"}));
};
