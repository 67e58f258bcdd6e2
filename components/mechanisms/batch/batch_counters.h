#pragma once

#include <cstddef>
#include <cstdint>

#include "core/stats/statistics.h"

namespace lookahead::gpu {

/// Why a batch is sent.
enum class BatchEnd : std::uint8_t { full, replaced, drained, atomic, data, age, count };
inline constexpr std::size_t kBatchEnds = static_cast<std::size_t>(BatchEnd::count);

/// Bins of the histogram of requests in a batch.
inline constexpr std::size_t kBatchSizes = 7;
inline constexpr Histogram<kBatchSizes>::Edges kBatchEdges = doubling_edges<kBatchSizes>(1);

/// Counts of one SM's batching unit. Once all batches are sent, batches = the sum of `ends`.
struct BatchCounters {
    LOOKAHEAD_COUNTER(requests, "request", "Requests that entered the unit.");
    LOOKAHEAD_COUNTER(with_data, "request",
                      "Part of requests: stores and atomics, whose data the store data buffer holds.");
    LOOKAHEAD_COUNTER(batches, "batch", "Batches that were opened.");
    LOOKAHEAD_COUNTER(joined, "request", "Requests that joined a batch that was open.");
    LOOKAHEAD_COUNTER(wait_cycles, "cycle", "From entering to leaving, over all requests.");
    LOOKAHEAD_COUNTERS(ends, kBatchEnds, {"ends_full", "batch", "Batches that left because they were full."},
                       {"ends_replaced", "batch", "Batches that left because another row needed an entry."},
                       {"ends_drained", "batch", "Batches that left for a fence, a release or the kernel's end."},
                       {"ends_atomic", "batch", "Batches that left for an atomic."},
                       {"ends_data", "batch", "Batches that left because the store data buffer was full."},
                       {"ends_age", "batch", "Batches that left because of their age."});
    LOOKAHEAD_HISTOGRAM(sizes, kBatchSizes, "request", "Requests of a batch when it begins to leave.",
                        lookahead::gpu::kBatchEdges);
    LOOKAHEAD_ALL_DECLARED;
};

}  // namespace lookahead::gpu
