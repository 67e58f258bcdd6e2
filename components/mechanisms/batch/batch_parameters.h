#pragma once

#include <cstdint>

#include "core/param/parameters.h"

namespace lookahead::gpu {

struct BatchParameters {
    LOOKAHEAD_PARAMETER(std::int64_t, entries, 4, {1, 64, "batch"},
                        {.help = "Batches that the unit holds, those that leave included.",
                         .source = "Crago et al., TACO 2018, table 1: 4 entries"});
    LOOKAHEAD_PARAMETER(std::int64_t, requests, 16, {1, 64, "request"},
                        {.help = "Requests of a batch.",
                         .source = "choice: the 16 lines of the table's DRAM row of 2 KB"});
    LOOKAHEAD_PARAMETER(std::int64_t, store_entries, 16, {1, 1024, "request"},
                        {.help = "Stores and atomics, whose data are held beside the batches.",
                         .source = "Crago et al., table 1: 16-entry store data buffer"});
    LOOKAHEAD_PARAMETER(std::int64_t, age, 16, {1, 4096, "cycle"},
                        {.help = "SM cycles after its first request in which a batch leaves, full or not.",
                         .source = "choice: one request a cycle fills a batch in as many; the paper does not say"});
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
