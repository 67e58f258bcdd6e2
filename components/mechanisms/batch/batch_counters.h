#pragma once

#include <array>
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
    std::uint64_t requests = 0;
    std::uint64_t with_data = 0;
    std::uint64_t batches = 0;
    std::uint64_t joined = 0;
    std::uint64_t wait_cycles = 0;
    std::array<std::uint64_t, kBatchEnds> ends{};
    Histogram<kBatchSizes> sizes;
};

}  // namespace lookahead::gpu

template <>
struct lookahead::StatisticsOf<lookahead::gpu::BatchCounters> {
    using C = lookahead::gpu::BatchCounters;
    static constexpr std::tuple list{
        Counter<C>{"requests", "request", "Requests that entered the unit.", &C::requests},
        Counter<C>{"with_data", "request", "Of these, stores and atomics, whose data the store data buffer holds.",
                   &C::with_data},
        Counter<C>{"batches", "batch", "Batches that were opened.", &C::batches},
        Counter<C>{"joined", "request", "Requests that joined a batch that was open.", &C::joined},
        Counter<C>{"wait_cycles", "cycle", "From entering to leaving, over all requests.", &C::wait_cycles},
        CounterArray<C, lookahead::gpu::kBatchEnds>{
            &C::ends,
            {{{"ends_full", "batch", "Batches that left because they were full."},
              {"ends_replaced", "batch", "Batches that left because another row needed an entry."},
              {"ends_drained", "batch", "Batches that left for a fence, a release or the kernel's end."},
              {"ends_atomic", "batch", "Batches that left for an atomic."},
              {"ends_data", "batch", "Batches that left because the store data buffer was full."},
              {"ends_age", "batch", "Batches that left because of their age."}}}},
        HistogramOf<C, lookahead::gpu::kBatchSizes>{"sizes", "request", "Requests of a batch when it begins to leave.",
                                                    &C::sizes, lookahead::gpu::kBatchEdges}};
};
